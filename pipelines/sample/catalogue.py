"""The made-up nation served as CMS serves the real one: both catalogues in CMS's own shapes, and the files."""

from __future__ import annotations

import atexit
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate, parsedate_to_datetime
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import requests
from requests.adapters import HTTPAdapter

from pipelines.errors import MissingInput
from pipelines.sample.form import archive_address
from pipelines.sources import Offer, Source
from pipelines.sources.cms import ARCHIVES, CATALOGUE, CURRENT, Cms
from pipelines.sources.download import session_for
from pipelines.store import Store, Supply

PUBLIC = "http://sample.invalid"  # the address that notes carry: the port is another one each time
PBJ_FILES = "/sites/default/files/"
NEWEST_FILE = "/provider-data/sites/default/files/dataset-archives/current/theme/theme_nursing-homes_current.zip"
RELATIVE = "/relative"  # at the end of what is asked: addresses without the site
KINDS = {".csv": "text/csv", ".zip": "application/zip"}
BLOCK = 1 << 20


class Nation:
    """What a sample folder offers, as CMS would say it."""

    def __init__(self, folder: Path):
        """`folder` holds `catalogue.json` and the files it names."""
        listing = folder / "catalogue.json"
        if not listing.exists():
            raise MissingInput(
                f"{folder} is no sample: there is no catalogue.json in it. Write one with: openstars sample {folder}"
            )
        content = json.loads(listing.read_text())
        self.pbj: list[dict[str, str]] = content["pbj"]
        self.archives: list[dict[str, str]] = content["archives"]
        self.files = {PBJ_FILES + row["file"]: folder / row["file"] for row in self.pbj}
        self.files |= {_archive_address(row): folder / row["file"] for row in self.archives}
        for row in self._newest():
            self.files[NEWEST_FILE] = folder / row["file"]

    def data_json(self, base: str) -> dict[str, Any]:
        """The catalogue of data.cms.gov: an API entry called latest, then a file and an API entry for each quarter."""
        titles = list(dict.fromkeys(row["dataset"] for row in self.pbj))
        return {
            "@context": "https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld",
            "@id": f"{base}{CATALOGUE}",
            "@type": "dcat:Catalog",
            "conformsTo": "https://project-open-data.cio.gov/v1.1/schema",
            "describedBy": "https://project-open-data.cio.gov/v1.1/schema/catalog.json",
            "dataset": [self._dataset(base, number, title) for number, title in enumerate(titles, 1)],
        }

    def _dataset(self, base: str, number: int, title: str) -> dict[str, Any]:
        rows = sorted((row for row in self.pbj if row["dataset"] == title), key=lambda row: row["temporal"], reverse=True)
        api = f"{base}/data-api/v1/dataset/00000000-0000-0000-0000-{number:012d}"
        distribution = [{**_entry(rows[0]), "accessURL": f"{api}/data", "description": "latest", "format": "API"}]
        for row in rows:
            kind = KINDS[Path(row["file"]).suffix.lower()]
            distribution.append({**_entry(row), "downloadURL": base + PBJ_FILES + row["file"], "mediaType": kind})
            distribution.append({**_entry(row), "accessURL": f"{api}/{row['temporal'][:10]}/data", "format": "API"})
        return {
            "@type": "dcat:Dataset",
            "accessLevel": "public",
            "accrualPeriodicity": "R/P3M",
            "title": title,
            "identifier": f"{api}/data-viewer",
            "modified": max(row["modified"] for row in rows),
            "temporal": f"{rows[-1]['temporal'][:10]}/{rows[0]['temporal'][-10:]}",
            "distribution": distribution,
        }

    def archive_list(self, base: str) -> dict[str, Any]:
        """The answer of archive/aggregate/theme/nursing-homes."""
        rows = [
            self._archive(number, row, "theme", base + quote(_archive_address(row)))
            for number, row in enumerate(self.archives, 1)
        ]
        return {"data": [{**row, "name": f"Theme: nursing-homes ({row['date']})"} for row in rows]}

    def current(self, base: str) -> dict[str, Any]:
        """The answer of archive/aggregate/current/theme/all: the newest archive, at an address of its own."""
        return {"data": [self._archive(0, row, "current", base + NEWEST_FILE) for row in self._newest()]}

    def _newest(self) -> list[dict[str, str]]:
        return sorted(self.archives, key=lambda row: row["date"])[-1:]

    def _archive(self, number: int, row: dict[str, str], kind: str, url: str) -> dict[str, Any]:
        size = str(self.files[_archive_address(row)].stat().st_size)
        numbers = {"id": str(number), "nid": str(number), "identifier": str(number)}
        return {
            **numbers,
            "type": kind,
            "theme": "nursing-homes",
            "date": row["date"],
            "url": url,
            "size": size,
            "access_level": "public",
        }


def _archive_address(row: dict[str, str]) -> str:
    return archive_address(row["file"].removeprefix("archives/"))


def _entry(row: dict[str, str]) -> dict[str, str]:
    return {
        "@type": "dcat:Distribution",
        "modified": row["modified"],
        "temporal": row["temporal"],
        "title": f"{row['dataset']} : {row['temporal'][:10]}",
    }


class _Handler(BaseHTTPRequestHandler):
    """Answers for one nation, which the server carries."""

    protocol_version = "HTTP/1.1"

    @property
    def nation(self) -> Nation:
        return self.server.nation  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        site = f"http://{self.headers.get('Host', 'localhost')}"
        asked, base = path.removesuffix(RELATIVE), "" if path.endswith(RELATIVE) else site
        if path == CATALOGUE:
            self._json(self.nation.data_json(site))
        elif asked in ARCHIVES:
            self._json(self.nation.archive_list(base))
        elif asked in CURRENT:
            self._json(self.nation.current(base))
        elif path in self.nation.files and self.nation.files[path].exists():
            self._file(self.nation.files[path])
        else:
            self._start(404, 0, {})

    def _json(self, content: Any) -> None:
        body = json.dumps(content).encode()
        self._start(200, len(body), {"Content-Type": "application/json"})
        self.wfile.write(body)

    def _file(self, path: Path) -> None:
        status = path.stat()
        etag, changed = f'"{status.st_size:x}-{status.st_mtime_ns:x}"', formatdate(status.st_mtime, usegmt=True)
        head = {"ETag": etag, "Last-Modified": changed, "Accept-Ranges": "bytes"}
        if self._unchanged(etag, changed):
            self._start(304, None, head)
            return
        begin = self._begin(etag, changed)
        if begin >= status.st_size > 0:
            self._start(416, 0, {"Content-Range": f"bytes */{status.st_size}"})
            return
        if begin:
            head["Content-Range"] = f"bytes {begin}-{status.st_size - 1}/{status.st_size}"
        head["Content-Type"] = KINDS.get(path.suffix.lower(), "application/octet-stream")
        self._start(206 if begin else 200, status.st_size - begin, head)
        with path.open("rb") as file:
            file.seek(begin)
            while block := file.read(BLOCK):
                self.wfile.write(block)

    def _unchanged(self, etag: str, changed: str) -> bool:
        if "If-None-Match" in self.headers:
            return etag in self.headers["If-None-Match"]
        since = self.headers.get("If-Modified-Since")
        return since is not None and parsedate_to_datetime(since) >= parsedate_to_datetime(changed)

    def _begin(self, etag: str, changed: str) -> int:
        """The first byte that is asked for; 0 where the version in hand is another one."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(asked[1]) if asked and self.headers.get("If-Range", etag) in (etag, changed) else 0

    def _start(self, status: int, length: int | None, head: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in head.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    """The server of one nation."""

    daemon_threads = True

    def __init__(self, nation: Nation):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.nation = nation


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a sample folder on this machine while the block runs; gives the address that stands for https://data.cms.gov."""
    server = _Server(Nation(folder))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Detour(HTTPAdapter):
    """Sends what is asked of the public address to the server that runs, so that notes never carry a passing port."""

    def __init__(self, base: str):
        super().__init__()
        self.base = base

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """Send a request to where the server is."""
        request.headers["Host"] = urlsplit(PUBLIC).netloc
        request.url = self.base + (request.url or "").removeprefix(PUBLIC)
        return super().send(request, *args, **kwargs)


class SampleSource(Source):
    """The made-up nation as a source; its server starts when first asked and ends with the `with` block or the process."""

    name = "sample"

    def __init__(self, folder: Path):
        """`folder` is a sample directory."""
        self.folder = folder
        self._serving: Any = None

    def __enter__(self) -> SampleSource:
        """Start serving."""
        _ = self.cms
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        """Stop serving."""
        self.close()

    def close(self) -> None:
        """Stop serving; the next question starts it again."""
        if self._serving is not None:
            self._serving.__exit__(None, None, None)
            self._serving = None
            del self.cms
            atexit.unregister(self.close)

    @cached_property
    def cms(self) -> Cms:
        """CMS's reader, pointed at the sample."""
        self._serving = serve(self.folder)
        atexit.register(self.close)  # once the interpreter ends, its frozen server could not be shut down any more
        session = session_for("http://localhost")
        session.mount(PUBLIC, _Detour(self._serving.__enter__()))
        return Cms(PUBLIC, PUBLIC, session=session, delay=0.05, name=self.name)

    @property
    def warnings(self) -> list[str]:
        """What the catalogue's reader noticed."""
        return self.cms.warnings

    def offers(self) -> list[Offer]:
        """What the sample has."""
        return self.cms.offers()

    def fetch(self, table: str, period: str, store: Store) -> Supply | None:
        """Bring the file of a table and period into the store."""
        return self.cms.fetch(table, period, store)
