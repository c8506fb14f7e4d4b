"""Zips as they come: in folders, in zips, from a Mac, damaged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from pipelines.errors import RefusedFile
from pipelines.sources import archive


def zipped(files: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def test_members_of_zips_in_zips_are_listed_without_a_macs_leavings(tmp_path: Path) -> None:
    month = zipped({"in/NH_ProviderInfo.csv": b"a\n", "__MACOSX/in/._NH_ProviderInfo.csv": b"x", "in/._x.csv": b"x"})
    (tmp_path / "year.zip").write_bytes(zipped({"2022/11.zip": month, "read me!.csv": b"b\n", "__MACOSX/._y": b"x"}))
    found = archive.members(tmp_path / "year.zip")
    assert found == ["2022/11.zip!in/NH_ProviderInfo.csv", "read me!.csv"]
    contents = []
    for member in found:
        with archive.open_member(tmp_path / "year.zip", member) as stream:
            contents.append(stream.read())
    assert contents == [b"a\n", b"b\n"]


def test_a_member_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"x.csv": b"1"}))
    for member in ("y.csv", "x.csv!y.csv", "y.zip!x.csv"):
        with pytest.raises(RefusedFile, match="y"):
            archive.open_member(tmp_path / "a.zip", member)


@pytest.mark.parametrize("nested", [False, True])
def test_one_wrong_byte_is_found_by_the_checksum_and_named(tmp_path: Path, nested: bool) -> None:
    content = bytearray(zipped({"x.csv": b"0123456789" * 50}, zipfile.ZIP_STORED))
    content[content.index(b"56789")] ^= 1
    file = tmp_path / "a.zip"
    file.write_bytes(zipped({"in.zip": bytes(content)}) if nested else bytes(content))
    with pytest.raises(RefusedFile, match=r"x\.csv.*damaged(.|\n)*Fetch it again"):
        archive.check(file)


def test_a_zip_that_was_cut_short_is_refused_with_what_to_do(tmp_path: Path) -> None:
    content = zipped({"x.csv": b"0123456789" * 50})
    (tmp_path / "a.zip").write_bytes(content[:-30])
    for use in (archive.members, archive.check):
        with pytest.raises(RefusedFile, match=r"a\.zip: the zip is damaged or cut short"):
            use(tmp_path / "a.zip")


def test_a_sound_zip_passes(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"x.csv": b"1", "in.zip": zipped({"y.csv": b"2"})}))
    archive.check(tmp_path / "a.zip")
    assert archive.is_zip(tmp_path / "a.zip")
