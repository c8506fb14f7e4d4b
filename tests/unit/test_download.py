"""Downloads over a real connection that is cut, refused, short, or answered with a web page."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.sources.download import Downloaded, download, get_json
from pipelines.store import Store, read_json

BODY = bytes(range(256)) * 4000


class Script(ThreadingHTTPServer):
    """Answers each request with the next step: (status, headers, body, announced length); the last one again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.steps: list[tuple[int, dict[str, str], bytes, int | None]] = []
        self.asked: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/files/a.csv"


class Handler(BaseHTTPRequestHandler):
    server: Script

    def do_GET(self) -> None:
        self.server.asked.append(dict(self.headers))
        status, head, body, length = self.server.steps.pop(0) if len(self.server.steps) > 1 else self.server.steps[0]
        self.send_response(status)
        for name, value in head.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Script]:
    script = Script()
    threading.Thread(target=script.serve_forever, args=(0.02,), daemon=True).start()
    yield script
    script.shutdown()
    script.server_close()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def fetch(server: Script, store: Store, tries: int = 4, url: str = "") -> Downloaded:
    return download(url or server.url, store, "2026-07-29", tries=tries, delay=0.001)


def test_a_file_is_stored_under_its_hash_with_what_the_server_said(server: Script, store: Store) -> None:
    server.steps = [(200, {"ETag": '"one"', "Last-Modified": "Wed, 29 Jul 2026 10:00:00 GMT"}, BODY, None)]
    got = fetch(server, store)
    assert (got.sha256, got.size) == (hashlib.sha256(BODY).hexdigest(), len(BODY))
    assert store.blob(got.sha256).read_bytes() == BODY
    (seen,) = read_json(Path(f"{store.blob(got.sha256)}.json"))["seen"]
    assert (seen["address"], seen["etag"], seen["modified"]) == (server.url, '"one"', "2026-07-29")
    assert list((store.root / "raw" / "partial").iterdir()) == []


def test_a_cut_connection_goes_on_where_it_was_cut(server: Script, store: Store) -> None:
    part = {"ETag": '"one"', "Content-Range": f"bytes 262144-{len(BODY) - 1}/{len(BODY)}"}
    server.steps = [(200, {"ETag": '"one"'}, BODY[:262144], len(BODY)), (206, part, BODY[262144:], None)]
    assert fetch(server, store).sha256 == hashlib.sha256(BODY).hexdigest()
    assert (server.asked[1]["Range"], server.asked[1]["If-Range"]) == ("bytes=262144-", '"one"')


def test_a_later_run_goes_on_with_what_an_earlier_one_left(server: Script, store: Store) -> None:
    server.steps = [(200, {"ETag": '"one"'}, BODY[:262144], len(BODY))]
    with pytest.raises(OpenstarsError, match=r"a\.csv: .*tried 1 times(.|\n)*run again"):
        fetch(server, store, tries=1)
    part = {"ETag": '"one"', "Content-Range": f"bytes 262144-{len(BODY) - 1}/{len(BODY)}"}
    server.steps = [(206, part, BODY[262144:], None)]
    assert fetch(server, store).sha256 == hashlib.sha256(BODY).hexdigest()


def test_a_file_that_changed_while_it_was_cut_is_started_again(server: Script, store: Store) -> None:
    server.steps = [(200, {"ETag": '"one"'}, b"old" * 1000, len(BODY)), (200, {"ETag": '"two"'}, BODY, None)]
    assert fetch(server, store).sha256 == hashlib.sha256(BODY).hexdigest()


def test_without_a_version_mark_a_cut_file_is_started_again(server: Script, store: Store) -> None:
    """With neither ETag nor Last-Modified the rest might be of another version."""
    server.steps = [(200, {}, BODY[:262144], len(BODY)), (200, {}, BODY, None)]
    assert fetch(server, store).sha256 == hashlib.sha256(BODY).hexdigest()
    assert "Range" not in server.asked[1]


def test_a_part_that_does_not_fit_is_thrown_away(server: Script, store: Store) -> None:
    wrong = {"ETag": '"one"', "Content-Range": f"bytes 5-{len(BODY) - 1}/{len(BODY)}"}
    server.steps = [(200, {"ETag": '"one"'}, BODY[:262144], len(BODY)), (206, wrong, BODY[5:], None), (200, {}, BODY, None)]
    assert fetch(server, store).sha256 == hashlib.sha256(BODY).hexdigest()


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(server: Script, store: Store, status: int) -> None:
    server.steps = [(status, {}, b"busy", None), (status, {}, b"busy", None), (200, {}, BODY, None)]
    assert fetch(server, store).size == len(BODY)
    assert len(server.asked) == 3


def test_a_server_that_stays_busy_is_given_up_with_address_and_what_to_do(server: Script, store: Store) -> None:
    server.steps = [(503, {}, b"", None)]
    with pytest.raises(OpenstarsError, match=r"/files/a\.csv: the server answered 503 .*; tried 3 times\.\n.*--source"):
        fetch(server, store, tries=3)
    assert len(server.asked) == 3


def test_a_missing_file_is_not_asked_for_twice(server: Script, store: Store) -> None:
    server.steps = [(404, {}, b"", None)]
    with pytest.raises(OpenstarsError, match="404"):
        fetch(server, store)
    assert len(server.asked) == 1


def test_a_body_that_stays_short_is_never_stored(server: Script, store: Store) -> None:
    server.steps = [(200, {}, BODY[:1000], len(BODY))]
    with pytest.raises(OpenstarsError, match="the connection was cut"):
        fetch(server, store, tries=2)
    assert not (store.root / "raw" / "blobs").exists()


def test_a_second_run_gets_304_and_takes_what_is_stored(server: Script, store: Store) -> None:
    head = {"ETag": '"one"', "Last-Modified": "Wed, 29 Jul 2026 10:00:00 GMT"}
    server.steps = [(200, head, BODY, None), (304, {}, b"", None)]
    first, second = fetch(server, store), fetch(server, store)
    assert (second.sha256, second.size, second.notes["unchanged"]) == (first.sha256, len(BODY), True)
    assert (server.asked[1]["If-None-Match"], server.asked[1]["If-Modified-Since"]) == ('"one"', head["Last-Modified"])


def test_a_file_that_was_deleted_from_the_store_is_fetched_whole(server: Script, store: Store) -> None:
    server.steps = [(200, {"ETag": '"one"'}, BODY, None)]
    store.blob(fetch(server, store).sha256).unlink()
    assert store.blob(fetch(server, store).sha256).exists()
    assert "If-None-Match" not in server.asked[1]


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "text/csv"])
def test_a_web_page_with_status_200_is_refused(server: Script, store: Store, kind: str) -> None:
    server.steps = [(200, {"Content-Type": kind}, b"\n<!DOCTYPE html><html>We are down</html>", None)]
    with pytest.raises(RefusedFile, match="web page"):
        fetch(server, store)
    assert not (store.root / "raw" / "blobs").exists()


def test_a_damaged_zip_is_refused_and_not_kept(server: Script, store: Store) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("x.csv", "0123456789" * 10)
    content = bytearray(out.getvalue())
    content[content.index(b"56789")] ^= 1
    server.steps = [(200, {"ETag": '"one"'}, bytes(content), None)]
    with pytest.raises(RefusedFile, match=r"x\.csv"):
        fetch(server, store)
    server.steps = [(200, {}, b"no zip", None)]
    with pytest.raises(RefusedFile, match="no zip"):
        fetch(server, store, url=server.url.replace(".csv", ".zip"))
    assert not (store.root / "raw" / "blobs").exists()


def test_the_same_bytes_at_a_second_address_are_one_blob_with_two_notes(server: Script, store: Store) -> None:
    server.steps = [(200, {}, BODY, None)]
    got = fetch(server, store)
    fetch(server, store, url=server.url.replace("/files/", "/zz/"))
    assert len(read_json(Path(f"{store.blob(got.sha256)}.json"))["seen"]) == 2


def test_an_answer_that_is_no_json_names_the_address(server: Script) -> None:
    server.steps = [(200, {}, b"<html>", None)]
    with pytest.raises(OpenstarsError, match=r"/files/a\.csv: the answer is not JSON"):
        get_json(server.url, tries=1, delay=0)


def test_nobody_at_the_address_is_said_after_the_last_try(store: Store) -> None:
    with pytest.raises(OpenstarsError, match=r"no connection.*tried 2 times"):
        download("http://127.0.0.1:9/a.csv", store, tries=2, delay=0.001)
