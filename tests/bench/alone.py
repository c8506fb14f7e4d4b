"""Work in a process of its own, so that its time and peak memory are its own."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any


def alone(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float, float]:
    """What a piece of work gives in a process of its own, its seconds and its peak memory in GB, with the largest process it starts."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(there, work, arguments))
    process.start()
    there.close()
    found = here.recv()
    process.join()
    if isinstance(found, Exception):
        raise found
    return found  # type: ignore[no-any-return]


def _answer(pipe: Any, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        began = time.perf_counter()
        given = work(*arguments)
        seconds = time.perf_counter() - began
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        pipe.send((given, seconds, held / 1e6))
    except Exception as fault:
        pipe.send(RuntimeError(f"{work.__name__}: {fault!r}"))
        raise


def best(work: Callable[..., float], *arguments: Any, times: int = 3) -> tuple[float, float]:
    """The shortest of the seconds that a piece of work measures itself, and its peak memory."""
    found = [alone(work, *arguments) for _ in range(times)]
    return min(given for given, _, _ in found), max(peak for _, _, peak in found)
