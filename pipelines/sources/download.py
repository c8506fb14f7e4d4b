"""Bring a file from an address into the store: streamed, hashed, resumed where it was cut, asked for only if it changed."""

from __future__ import annotations

import hashlib
import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests

from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.sources import archive
from pipelines.store import Store, read_json, write_json

BLOCK = 1 << 20
CHUNK = 1 << 16  # what is lost at most of a cut connection
TRIES = 5
DELAY = 1.0  # seconds before the second try, doubled before each further one
LONGEST = 120.0
TIMEOUT = (15, 120)
AGAIN = (429, 500, 502, 503, 504)
log = logging.getLogger("openstars")


class Downloaded(NamedTuple):
    """A file in the store, and what the server said of it (address, etag, last_modified, modified, fetched, bytes, unchanged)."""

    sha256: str
    size: int
    notes: dict[str, Any]


class _Again(Exception):
    """Something that may pass: try once more."""

    def __init__(self, what: str, wait: float = 0):
        super().__init__(what)
        self.wait = wait


@dataclass(frozen=True)
class Patience:
    """How often and how patiently to try."""

    tries: int = TRIES
    delay: float = DELAY


def session_for(url: str) -> requests.Session:
    """A session; for an address of this machine without the proxies of the environment."""
    session = requests.Session()
    session.headers.update({"User-Agent": "openstars", "Accept-Encoding": "identity"})
    session.trust_env = urlsplit(url).hostname not in ("127.0.0.1", "localhost", "::1")
    return session


def now() -> str:
    """The time as ISO text, in UTC and to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def get_json(url: str, session: requests.Session | None = None, tries: int = TRIES, delay: float = DELAY) -> Any:
    """The JSON answer of an address. OpenstarsError with the address where none comes."""
    session = session or session_for(url)

    def once() -> Any:
        answer = _ask(session, url, {}, stream=False)
        _raise_for(url, answer)
        try:
            return answer.json()
        except ValueError:
            raise OpenstarsError(
                f"{url}: the answer is not JSON but begins {answer.text[:60]!r}.\nTry later, or give a folder with --source."
            ) from None

    return _patiently(url, once, Patience(tries, delay))


def download(
    url: str,
    store: Store,
    modified: str = "",
    *,
    session: requests.Session | None = None,
    tries: int = TRIES,
    delay: float = DELAY,
) -> Downloaded:
    """The file at an address, as a blob of the store; not sent again where the server says that it has not changed.

    `modified` is CMS's own date from its catalogue, kept in the notes. Raises OpenstarsError where the file cannot be had, and
    RefusedFile where what came is a web page or a damaged zip.
    """
    session = session or session_for(url)
    job = _Job(url, store, modified, session)
    return _patiently(url, job.once, Patience(tries, delay))


class _Job:
    """One download: the partial file with the validator it belongs to, and its hash as far as it got."""

    def __init__(self, url: str, store: Store, modified: str, session: requests.Session):
        key = hashlib.sha256(url.encode()).hexdigest()[:32]
        self.url, self.store, self.modified, self.session = url, store, modified, session
        self.part = store.root / "raw" / "partial" / key
        self.part_note = self.part.with_suffix(".json")
        self.url_note = store.root / "raw" / "urls" / f"{key}.json"
        self.digest: Any = None  # over what stands in `part`, None where that was not read yet

    def once(self) -> Downloaded:
        """One try. Raises _Again for what may pass."""
        held = self.store.note(self.url_note)
        known = held if held and self.store.has_blob(held["sha256"]) else None
        have = self._have()
        answer = _ask(self.session, self.url, self._conditions(known, have), stream=True)
        with answer:
            if answer.status_code == 304 and known:
                notes = {**known, "unchanged": True, "modified": self.modified or known.get("modified", "")}
                return Downloaded(known["sha256"], known["bytes"], notes)
            if answer.status_code == 416 or (answer.status_code == 206 and not _continues(answer, have)):
                self._drop()
                raise _Again("the server could not go on where the download was cut")
            _raise_for(self.url, answer)
            self._receive(answer, have if answer.status_code == 206 else 0)
        return self._keep(answer)

    def _have(self) -> int:
        """Bytes of an earlier try that can be gone on from: only where the server gave something to tell the version by."""
        note = read_json(self.part_note)
        return self.part.stat().st_size if note and note["validator"] and self.part.exists() else 0

    def _conditions(self, known: dict[str, Any] | None, have: int) -> dict[str, str]:
        if have:
            return {"Range": f"bytes={have}-", "If-Range": read_json(self.part_note)["validator"]}
        asked = {"If-None-Match": known["etag"], "If-Modified-Since": known["last_modified"]} if known else {}
        return {name: value for name, value in asked.items() if value}

    def _receive(self, answer: requests.Response, have: int) -> None:
        """Write the body behind the first `have` bytes, hashing; _Again where it ends early."""
        etag, changed = answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", "")
        encoded = answer.headers.get("Content-Encoding", "identity") != "identity"
        if have:
            self.digest = self.digest or _hash_of(self.part)
        else:
            self.digest = hashlib.sha256()
            validator = "" if encoded else (etag if etag and not etag.startswith("W/") else changed)
            write_json(self.part_note, {"validator": validator, "etag": etag, "last_modified": changed, "url": self.url})
        length = answer.headers.get("Content-Length")
        expected = have + int(length) if length and length.isdigit() and not encoded else None
        got = have
        log.info("fetching %s%s", self.url, f" ({expected:,} bytes)" if expected else "")
        try:
            with self.part.open("ab" if have else "wb") as file:
                for block in answer.iter_content(CHUNK):
                    if got == 0:
                        self._refuse_page(answer, block)
                    file.write(block)
                    self.digest.update(block)
                    got += len(block)
        except requests.RequestException as fault:
            raise _Again(f"the connection was cut after {got:,} bytes ({type(fault).__name__})") from fault
        if expected is not None and got != expected:
            if got > expected:
                self._drop()
            raise _Again(f"{got:,} bytes came where {expected:,} were announced")

    def _refuse_page(self, answer: requests.Response, block: bytes) -> None:
        start = block[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if start.startswith((b"<!doctype html", b"<html")) or answer.headers.get("Content-Type", "").lower().startswith(
            "text/html"
        ):
            self._drop()
            raise RefusedFile(
                self.url,
                "a web page came where a file was asked for",
                todo="Open the address in a browser to see what CMS says; try later, or give a folder of files with --source.",
            )

    def _keep(self, answer: requests.Response) -> Downloaded:
        """Check a zip, then put the file under its hash and note what the server said."""
        sha256, size = self.digest.hexdigest(), self.part.stat().st_size
        try:
            if archive.is_zip(self.part):
                archive.check(self.part, self.url)
            elif urlsplit(self.url).path.lower().endswith(".zip"):
                raise RefusedFile(self.url, "what came is no zip", todo=archive.TODO)
        except RefusedFile:
            self._drop()
            raise
        seen = {
            "address": self.url,
            "etag": answer.headers.get("ETag", ""),
            "last_modified": answer.headers.get("Last-Modified", ""),
            "modified": self.modified,
            "fetched": now(),
            "bytes": size,
        }
        self.store.add_blob(self.part, sha256, seen)
        self.store.put_note(self.url_note, {**seen, "sha256": sha256})
        self.part_note.unlink(missing_ok=True)
        return Downloaded(sha256, size, {**seen, "sha256": sha256, "unchanged": False})

    def _drop(self) -> None:
        self.part.unlink(missing_ok=True)
        self.part_note.unlink(missing_ok=True)
        self.digest = None


def _patiently(url: str, once: Any, patience: Patience) -> Any:
    """Call `once` until it gives something; OpenstarsError with the last reason after the last try."""
    for attempt in range(1, patience.tries + 1):
        try:
            return once()
        except _Again as fault:
            if attempt == patience.tries:
                raise OpenstarsError(
                    f"{url}: {fault}; tried {attempt} times.\n"
                    "Check the network and run again (what has come is kept), or give a folder of files with --source."
                ) from fault
            wait = min(max(fault.wait, patience.delay * 2 ** (attempt - 1)), LONGEST)
            log.warning("%s: %s; trying again in %.1f s", url, fault, wait)
            time.sleep(wait)
    raise OpenstarsError(f"{url}: not tried at all")


def _ask(session: requests.Session, url: str, headers: dict[str, str], stream: bool) -> requests.Response:
    try:
        return session.get(url, headers=headers, stream=stream, timeout=TIMEOUT)
    except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as fault:
        raise _Again(f"no connection ({type(fault).__name__})") from fault
    except requests.RequestException as fault:
        raise OpenstarsError(f"{url}: cannot be asked for ({fault}).\nCheck the address.") from fault


def _raise_for(url: str, answer: requests.Response) -> None:
    if answer.status_code in AGAIN:
        raise _Again(f"the server answered {answer.status_code} {answer.reason}", _asked_wait(answer))
    if answer.status_code not in (200, 206):
        raise OpenstarsError(
            f"{url}: the server answered {answer.status_code} {answer.reason}.\n"
            "CMS may have moved the file: look in its catalogue, or give a folder of files with --source."
        )


def _asked_wait(answer: requests.Response) -> float:
    """The seconds that a server asks to wait (Retry-After, a number or a date)."""
    text = answer.headers.get("Retry-After", "")
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return 0.0


def _continues(answer: requests.Response, have: int) -> bool:
    """Whether a part that was sent begins where the one in hand ends."""
    return bool(have) and answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")


def _hash_of(path: Path) -> Any:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest
