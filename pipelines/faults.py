"""Faults of the machine, told as what happened, where, and what to do: memory, disk, folders that cannot be written."""

from __future__ import annotations

import errno
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pipelines.errors import OpenstarsError, UsageError

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR}
# DuckDB gives the system's words, not its number
FULL_WORDS = re.compile(r"no space left|quota exceeded|file too large|max_temp_directory_size", re.IGNORECASE)
CLOSED_WORDS = re.compile(
    r"permission denied|not permitted|read-only|not a directory|file exists|is a directory|create directory", re.IGNORECASE
)
MEMORY = re.compile(r"\d+(\.\d+)?\s*([KMGT]i?B)", re.IGNORECASE)
ELSEWHERE = "--data, or OPENSTARS_MIRROR for the local copies of a store on object storage"
WHOLE = "Nothing half-written is kept, and what was finished is not done again."


@contextmanager
def explained(doing: str, folder: Path, memory: str = "") -> Iterator[None]:
    """Tell a fault of the machine within the block as ours, beginning with what was being done; others pass as they are.

    `folder` is where the work writes, `memory` DuckDB's limit. Raises UsageError for a folder that cannot be written, OpenstarsError
    for a full disk, too little memory, or a file that cannot be read or written for another reason.
    """
    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, MemoryError, OSError) as fault:
        told = _told(fault, doing, folder, memory)
        if told is None:
            raise
        raise told from fault


def memory_size(text: str) -> str:
    """A memory limit as a person gives it, like 2500MB. Raises UsageError for what is none."""
    if not MEMORY.fullmatch(text.strip()):
        raise UsageError(f'"{text}" is no size of memory: give a number with KB, MB, GB or TB, like 2500MB')
    return text.strip()


def _told(fault: Exception, doing: str, folder: Path, memory: str) -> Exception | None:
    text = " ".join(str(fault).split("Possible solutions")[0].split("\n\nLINE")[0].split())[:300]
    number = fault.errno if isinstance(fault, OSError) else None
    is_ours = isinstance(fault, duckdb.Error)
    if number in FULL or (is_ours and FULL_WORDS.search(text)):
        return OpenstarsError(
            f"{doing}: there is no room left to write ({text}).\n"
            f"Free space on the disk of {folder}{_free(folder)}, or work on a larger one ({ELSEWHERE}). {WHOLE}"
        )
    if isinstance(fault, duckdb.OutOfMemoryException):
        return OpenstarsError(
            f"{doing}: the memory limit{f' of {memory}' if memory else ''} is too small ({text}).\n"
            f"Run again with a larger --memory, with more --ranges, or with fewer --threads. {WHOLE}"
        )
    if isinstance(fault, MemoryError):
        return OpenstarsError(
            f"{doing}: the machine gave no more memory ({text or 'out of memory'}).\n"
            f"End other programs, or run again with more --ranges and a smaller --memory. {WHOLE}"
        )
    if number in CLOSED or (is_ours and CLOSED_WORDS.search(text)):
        return UsageError(
            f"{doing}: a file or folder cannot be written ({text}).\n"
            f"Make {folder} and all in it something that this user may write, or work in another folder ({ELSEWHERE}). {WHOLE}"
        )
    if is_ours or type(fault) is OSError or (number is not None and not isinstance(fault, (ConnectionError, ChildProcessError))):
        return OpenstarsError(
            f"{doing}: a file cannot be read or written ({text}).\nLook at {folder} and its disk, then run again. {WHOLE}"
        )
    return None


def _free(folder: Path) -> str:
    try:
        return f" ({shutil.disk_usage(folder).free / 1e9:.1f} GB are free)"
    except OSError:
        return ""
