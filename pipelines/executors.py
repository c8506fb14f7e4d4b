"""Who does the work on ranges of homes: this process, or the workers of a Dask cluster; both take it like concurrent.futures."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, CancelledError, Executor, Future, wait
from functools import cache
from typing import Any

from pipelines.errors import OpenstarsError, UsageError

NAMES = ("local", "dask")
CONNECT = 20.0  # seconds for the scheduler to answer
WORKERS = 120.0  # seconds for a first worker to come, or for another after the last was lost
LOOK = 5.0  # seconds between looks at the cluster


class Here(Executor):
    """Does each task in this process when it is handed in; DuckDB itself takes all cores."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Do the task; a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as fault:
            future.set_exception(fault)
        return future


def check(executor: str, scheduler: str) -> None:
    """Raises UsageError where an executor and the address of a scheduler are not what can be used together."""
    if executor not in NAMES:
        raise UsageError(f'"{executor}" is no executor: give one of {", ".join(NAMES)}')
    if (executor == "dask") != bool(scheduler):
        raise UsageError("--executor dask and --scheduler tcp://HOST:8786 go together: dask scheduler prints its address")


def executor_of(executor: str, scheduler: str) -> Executor:
    """The executor of that name. Raises UsageError where it cannot be used, OpenstarsError where the cluster does not answer."""
    check(executor, scheduler)
    return Here() if executor == "local" else _client(scheduler).get_executor(pure=False)


def workers_of(executor: str, scheduler: str) -> int:
    """Workers of the cluster; 0 where there is none to spread work over."""
    return len(_client(scheduler).nthreads()) if executor == "dask" else 0


def disconnect() -> None:
    """Leave every cluster that this process works with."""
    for client in _clients.values():
        client.close()
    _clients.clear()
    _client.cache_clear()


_clients: dict[str, Any] = {}


@cache
def _client(scheduler: str) -> Any:
    """The one connection of this process to a scheduler that has workers."""
    try:
        from distributed import Client
    except ImportError as absent:
        raise UsageError(f"The executor dask is not installed ({absent}): pip install 'openstars[cluster]'") from absent
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # its faults are told here
    try:
        client = Client(scheduler, timeout=CONNECT, set_as_default=False)
    except ValueError as wrong:
        raise UsageError(f"{scheduler} is no address of a scheduler ({wrong}): give one like tcp://HOST:8786") from wrong
    except OSError as fault:  # also of a wait that was too long
        raise OpenstarsError(
            f"The Dask scheduler {scheduler} cannot be reached ({fault}).\n"
            "Start it with dask scheduler, check the address and the firewall, or run without --executor dask."
        ) from fault
    try:
        client.wait_for_workers(1, timeout=WORKERS)
    except TimeoutError as fault:
        client.close()
        raise _no_workers(scheduler) from fault
    _clients[scheduler] = client
    return client


def all_results(scheduler: str, futures: Sequence[Future[Any]], told: Sequence[str]) -> list[Any]:
    """The results of tasks on a cluster in their order; the first fault ends them all.

    `told` names each task for a person. Raises OpenstarsError where a task lost its workers again and again, where no worker is left,
    and where the scheduler is gone; what a task raised is raised here.
    """
    names = dict(zip(futures, told, strict=True))
    waiting, seen = set(futures), time.monotonic()
    try:
        while waiting:
            done, waiting = wait(waiting, timeout=LOOK, return_when=FIRST_EXCEPTION)
            for future in done:
                _result(scheduler, future, names[future])
            if waiting and _has_workers(scheduler):
                seen = time.monotonic()
            elif waiting and time.monotonic() - seen > WORKERS:
                raise _no_workers(scheduler)
    finally:
        for future in waiting:
            future.cancel()
    return [future.result() for future in futures]


def _has_workers(scheduler: str) -> bool:
    try:
        return bool(_client(scheduler).nthreads())
    except OSError as fault:
        raise _gone(scheduler) from fault


def _result(scheduler: str, future: Future[Any], told: str) -> Any:
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        return future.result()
    except CommClosedError as fault:
        raise _gone(scheduler) from fault
    except OSError as fault:
        raise OpenstarsError(
            f"{told}: the machine of the worker has a fault ({fault}).\nLook at its disk and its logs, then run again."
        ) from fault
    except KilledWorker as lost:
        times = lost.allowed_failures + 1
        raise OpenstarsError(
            f"{told}: lost its worker {times} time{'s' if times > 1 else ''}, as often as the scheduler allows.\n"
            "The workers had too little memory, most likely: see their logs and give each --memory and 1 GB more (with the same --ranges "
            "what was finished is not done again), or run with more --ranges, which begins the table anew."
        ) from lost
    except CancelledError as fault:
        raise _gone(scheduler) from fault
    except (ImportError, AttributeError) as fault:
        raise OpenstarsError(
            f"{told}: a worker cannot run it ({fault}).\n"
            "Scheduler and workers need the same version of openstars[cluster] as this machine: install it there and start them again."
        ) from fault


def _no_workers(scheduler: str) -> OpenstarsError:
    return OpenstarsError(
        f"The Dask scheduler {scheduler} has no workers.\n"
        f"Start some with dask worker {scheduler}, then run again: with the same --ranges what was finished is not done again."
    )


def _gone(scheduler: str) -> OpenstarsError:
    return OpenstarsError(
        f"The Dask scheduler {scheduler} is gone.\n"
        "Start it and its workers again, then run again: with the same --ranges what was finished is not done again."
    )
