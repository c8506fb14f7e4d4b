"""What a file is, told by its whole header and content; and what a file that may be needed and cannot be read does."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zipfile
from pathlib import Path

import pytest

from pipelines.errors import RefusedFile, UsageError
from pipelines.sources.folder import Folder
from pipelines.sources.look import look
from pipelines.store import Store
from schemas.files import kinds, layout, recognise
from tests.files import daily, employee, providers, text

NAME = "PBJ_dailynursestaffing_CY2026Q1.csv"
DAILY = daily("2026Q1", "20260101")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "p.csv").write_text(providers("4", "2026-07-01"))
    return tmp_path / "mine"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def nested(depth: int) -> bytes:
    content = zipped({NAME: DAILY.encode()})
    for _ in range(depth - 1):
        content = zipped({"in.zip": content})
    return content


# -- whole headers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", kinds())
@pytest.mark.parametrize("month", ["2022-07", "2023-06", "2024-07", "2025-10", "2026-08"])
def test_every_layout_of_every_kind_is_that_kind_and_no_other(kind: str, month: str) -> None:
    """Two neighbours of the SNF QRP file have all but one or two of its columns (C69)."""
    found = recognise(list(layout(kind, "2026Q1" if kinds()[kind].clock == "quarter" else month))).kind
    assert found is not None and found.name == kind


def test_capitals_and_blanks_in_a_header_do_not_matter() -> None:
    header = [f" {name.upper()}  " for name in layout("snf_qrp", "2026-07")]
    assert recognise(header).kind == kinds()["snf_qrp"]


@pytest.mark.parametrize("kind", ["provider_info", "snf_qrp", "health_citations", "penalties", "pbj_daily", "survey_dates"])
def test_a_column_that_cms_adds_changes_nothing(kind: str) -> None:
    assert recognise([*layout(kind, "2026-08"), "Something New"]).kind == kinds()[kind]


@pytest.mark.parametrize(
    ("kind", "gone"), [("provider_info", "Legal Business Name"), ("snf_qrp", "LOCATION1"), ("qm_mds", "Resident type")]
)
def test_a_column_that_no_rule_reads_may_be_gone(kind: str, gone: str) -> None:
    assert recognise([name for name in layout(kind, "2026-08") if name != gone]).kind == kinds()[kind]


def test_a_column_that_cms_renames_is_not_guessed() -> None:
    header = ["MeasureDateRange" if name == "Measure Date Range" else name for name in layout("snf_qrp", "2026-07")]
    found = recognise(header)
    assert found.kind is None and found.like == kinds()["snf_qrp"]
    assert found.problem == "its header lacks Measure Date Range and has MeasureDateRange, which snf_qrp never had"


OTHERS = {  # headers of other themes of Care Compare, as their files have them
    "hospice": "CMS Certification Number (CCN),Facility Name,Address Line 1,Address Line 2,City/Town,State,ZIP Code,County/Parish,"
    "Telephone Number,CMS Region,Measure Code,Measure Name,Score,Footnote,Measure Date Range",
    "rehabilitation": "CMS Certification Number (CCN),Provider Name,Address Line 1,Address Line 2,City/Town,State,ZIP Code,County/Parish,"
    "Telephone Number,CMS Region,Measure Code,Score,Footnote,Start Date,End Date,Measure Date Range",
    "rehabilitation, older": "CMS Certification Number (CCN),Provider Name,Address Line 1,Address Line 2,City/Town,State,ZIP Code,"
    "County/Parish,Telephone Number,CMS Region,Measure Code,Score,Footnote,Start Date,End Date",
    "rehabilitation, nation": "CMS Certification Number (CCN),Measure Code,Score,Footnote,Start Date,End Date,Measure Date Range",
    "home health": "State,CMS Certification Number (CCN),Provider Name,Address,City/Town,ZIP Code,Telephone Number,Type of Ownership,"
    "Offers Nursing Care Services,Certification Date,Quality of patient care star rating",
    "dialysis": "CMS Certification Number (CCN),Network,Facility Name,Five Star Date,Five Star,Address Line 1,City/Town,State,ZIP Code",
    "a stranger's": "ccn,state,overall_rating,staffing_rating,my_score",
}


@pytest.mark.parametrize("theme", OTHERS)
def test_files_of_other_themes_and_of_strangers_are_named_and_left_alone(theme: str, home: Path, store: Store) -> None:
    names = OTHERS[theme].split(",")
    (home / "other.csv").write_text(f"{OTHERS[theme]}\n{','.join('x' for _ in names)}\n")
    folder = Folder(home)
    assert folder.fetch("snf_qrp", "2026-07", store) is None
    assert folder.fetch("provider_info", "2026-07", store) is not None
    (told,) = folder.warnings
    assert told.startswith("other.csv: left alone, ")


# -- read whatever it is packed in or written as ------------------------------------------------------------------------------

READ: dict[str, tuple[str, bytes]] = {
    "a zip called csv": (NAME, zipped({"x": DAILY.encode()})),
    "no ending": ("daily", DAILY.encode()),
    "txt": ("daily.txt", DAILY.encode()),
    "UTF-8 with a mark": (NAME, DAILY.encode("utf-8-sig")),
    "UTF-16": (NAME, DAILY.encode("utf-16")),
    "UTF-16 without a mark": (NAME, DAILY.encode("utf-16-le")),
    "UTF-16, the other way round, without a mark": (NAME, DAILY.encode("utf-16-be")),
    "UTF-32": (NAME, DAILY.encode("utf-32")),
    "UTF-32 without a mark": (NAME, DAILY.encode("utf-32-le")),
    "five zips deep": ("a.zip", nested(5)),
    "Windows' backslashes": ("a.zip", zipped({"2026Q1\\" + NAME: DAILY.encode()})),
}


@pytest.mark.parametrize("way", READ)
def test_a_file_is_read_by_its_content_whatever_its_name(way: str, home: Path, store: Store) -> None:
    name, content = READ[way]
    (home / name).write_bytes(content)
    got = Folder(home).fetch("pbj_daily", "2026Q1", store)
    assert got is not None and got.name.startswith(name)


# -- needed and not readable: the run stops -----------------------------------------------------------------------------------


def spreadsheet() -> bytes:
    shared = "".join(f"<si><t>{name}</t></si>" for name in DAILY.split("\n")[0].split(","))
    return zipped({"[Content_Types].xml": b"<x/>", "xl/sharedStrings.xml": f"<sst>{shared}</sst>".encode()})


def locked() -> bytes:
    """A zip of which the flags say that it is encrypted."""
    content = bytearray(nested(1))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    return bytes(content)


STOPS: dict[str, tuple[str, bytes, str]] = {
    "semicolons": ("d.csv", DAILY.replace(",", ";").encode(), "parted by semicolons"),
    "tabs": ("d.tsv", DAILY.replace(",", "\t").encode(), "parted by tabs"),
    "semicolons in UTF-16": ("d.csv", DAILY.replace(",", ";").encode("utf-16"), "parted by semicolons"),
    "title lines": ("d.csv", f"Payroll Based Journal\n\n{DAILY}".encode(), "take away the lines above it"),
    "empty": (NAME, b"", "it has the name of pbj_daily, but it is empty"),
    "blank lines": (NAME, b"\r\n\r\n", "it has the name of pbj_daily"),
    "header only": ("d.csv", DAILY.split("\n")[0].encode(), "a header but no rows"),
    "under another file's header": (
        NAME,
        (employee("2026Q1", "20260101").split("\n")[0] + "\n" + DAILY.split("\n", 1)[1]).encode(),
        "",
    ),
    "with no header": (NAME, DAILY.split("\n", 1)[1].encode(), "it has the name of pbj_daily"),
    "gzip": ("d.csv.gz", gzip.compress(DAILY.encode()), "packed with gzip: unpack it"),
    "bzip2": ("d", bz2.compress(DAILY.encode()), "packed with bzip2"),
    "xz": ("d.xz", lzma.compress(DAILY.encode()), "packed with xz"),
    "7-Zip": (f"{NAME}.7z", b"7z\xbc\xaf\x27\x1c\x00", "packed with 7-Zip"),
    "a spreadsheet": ("d.xlsx", spreadsheet(), "save the sheet as CSV"),
    "a spreadsheet in a zip": ("d.zip", zipped({"d.xlsx": spreadsheet()}), "save the sheet as CSV"),
    "an older spreadsheet": ("PBJ_Daily_Nurse_Staffing_Q1_2026.xls", b"\xd0\xcf\x11\xe0\x00", "an older Office file"),
    "a Parquet file": (NAME.replace("csv", "parquet"), b"PAR1\x00", "a Parquet file"),
    "a web page": (NAME, b"<!DOCTYPE html><html>Not found</html>", "it has the name of pbj_daily"),
    "a damaged zip": ("d.zip", nested(1)[:-20], "damaged or cut short"),
    "a damaged zip in a zip": ("d.zip", zipped({"in.zip": nested(1)[:-20]}), "damaged or cut short"),
    "a zip with a password": ("d.zip", locked(), "cannot be opened"),
    "nine zips deep": ("d.zip", nested(9), "deeper ones are not opened"),
    "one quote left open": ("d.csv", DAILY.replace("PROVNUM", '"PROVNUM', 1).encode(), ""),
    "two quarters": ("d.csv", (DAILY + DAILY.split("\n", 1)[1].replace("2026Q1", "2025Q4")).encode(), "more than one quarter"),
    "a quarter that the days contradict": ("d.csv", daily("2026Q1", "20251231").encode(), "WorkDate is in 2025Q4"),
    "the API's names": (
        "d.csv",
        (
            ",".join(n.lower().replace(" ", "_") for n in DAILY.split("\n")[0].split(",")) + "x\n" + DAILY.split("\n", 1)[1]
        ).encode(),
        "",
    ),
    "JSON": ("d.json", ("[{" + ",".join(f'"{n}": "1"' for n in DAILY.split("\n")[0].split(",")) + "}]").encode(), "it is JSON"),
}


@pytest.mark.parametrize("way", STOPS)
def test_a_file_that_may_be_needed_and_cannot_be_read_stops_the_run(way: str, home: Path, store: Store) -> None:
    """It is named with why, what to do, and how to go on without it; what does not need it goes on."""
    name, content, why = STOPS[way]
    (home / name).write_bytes(content)
    folder = Folder(home)
    with pytest.raises(RefusedFile) as refused:
        folder.fetch("pbj_daily", "2026Q1", store)
    assert str(refused.value).startswith(name.split("!")[0]) and why in str(refused.value)
    assert "--without pbj_daily:2026Q1" in str(refused.value)
    assert folder.fetch("provider_info", "2026-07", store) is not None
    assert any(line.startswith(name) for line in folder.warnings)


@pytest.mark.parametrize("way", ["semicolons", "gzip", "header only", "a damaged zip in a zip"])
def test_it_stops_no_run_where_another_file_is_the_one(way: str, home: Path, store: Store) -> None:
    name, content, _ = STOPS[way]
    (home / name).write_bytes(content)
    (home / "good.csv").write_text(DAILY)
    got = Folder(home).fetch("pbj_daily", "2026Q1", store)
    assert got is not None and got.name == "good.csv"


def test_a_name_that_says_another_period_is_not_needed(home: Path, store: Store) -> None:
    (home / NAME).write_bytes(b"")
    folder = Folder(home)
    assert folder.fetch("pbj_daily", "2025Q4", store) is None
    (home / "nursing-homes_2023-03-29.zip").write_bytes(nested(1)[:-20])
    assert Folder(home).fetch("penalties", "2026-07", store) is None
    (home / "nursing-homes_2026-08-06.zip").write_bytes(nested(1)[:-20])
    with pytest.raises(RefusedFile, match=r"nursing-homes_2026-08-06\.zip"):
        Folder(home).fetch("penalties", "2026-07", store)


def test_a_damaged_later_version_is_not_passed_over_for_an_earlier_one(home: Path, store: Store) -> None:
    """6 August 2026 posted July again: if that zip is cut short, July's own zip is not the file that counts."""
    (home / "p.csv").unlink()
    (home / "nursing-homes_2026-07-29.zip").write_bytes(zipped({"a.csv": providers("4", "2026-07-01").encode()}))
    assert Folder(home).fetch("provider_info", "2026-07", store) is not None
    (home / "nursing-homes_2026-08-06.zip").write_bytes(zipped({"a.csv": providers("5", "2026-07-01").encode()})[:-20])
    with pytest.raises(RefusedFile, match=r"nursing-homes_2026-08-06\.zip.*damaged"):
        Folder(home).fetch("provider_info", "2026-07", store)


@pytest.mark.parametrize("name", ["nursing-homes_2026-08-26.zip", "nursing_homes_including_rehab_services_08_2026.zip"])
def test_the_damaged_zip_of_another_month_stops_only_the_run_that_needs_it(name: str, home: Path, store: Store) -> None:
    (home / "p.csv").unlink()
    (home / "nursing-homes_2026-07-29.zip").write_bytes(zipped({"a.csv": providers("4", "2026-07-01").encode()}))
    (home / name).write_bytes(zipped({"a.csv": providers("5", "2026-08-01").encode()})[:-20])
    assert Folder(home).fetch("provider_info", "2026-07", store) is not None
    with pytest.raises(RefusedFile, match="damaged"):
        Folder(home).fetch("provider_info", "2026-08", store)


def test_a_folder_that_may_not_be_read_stops_the_run(home: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = home / "closed"
    closed.mkdir()
    real = os.scandir

    def scan(path: str | Path) -> object:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scan)
    with pytest.raises(RefusedFile, match=r"closed: the folder cannot be read \(Permission denied\)"):
        Folder(home).fetch("pbj_daily", "2026Q1", store)


def test_a_link_to_nothing_is_named(home: Path, store: Store) -> None:
    (home / NAME).symlink_to(home / "gone.csv")
    with pytest.raises(RefusedFile, match=r"it cannot be read \(No such file"):
        Folder(home).fetch("pbj_daily", "2026Q1", store)


# -- stores are no source -----------------------------------------------------------------------------------------------------


def test_a_store_below_the_source_is_skipped_and_named(home: Path) -> None:
    """What a run writes, or leaves when it is killed, is no input of the next one (C96)."""
    store = Store(home / "data" / "store")
    store.try_to_write()
    (store.root / "tmp").mkdir()
    (store.root / "tmp" / "text.csv").write_text(providers("1", "2026-07-01"))
    folder = Folder(home)
    assert [offer.address for offer in folder.offers()] == ["p.csv"]
    assert folder.warnings == ["data/store: a store, which is no source"]


@pytest.mark.parametrize("inside", ["", "raw", "staged/provider_info"])
def test_a_store_or_a_folder_in_it_is_refused_as_a_source(inside: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.try_to_write()
    (store.root / inside).mkdir(parents=True, exist_ok=True)
    with pytest.raises(UsageError, match="belongs to the store"):
        Folder(store.root / inside)
    (store.root / "sample").mkdir()
    assert Folder(store.root / "sample").path


# -- names ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "may_be"),
    [
        ("NH_ProviderInfo_Jul2026.csv", ("provider_info",)),
        ("4pq5-n9py_2026-07-29_NH_ProviderInfo_Jul2026.csv", ("provider_info",)),
        ("nh_providerinfo_nov2024.csv", ("provider_info",)),
        ("PBJ_Employee_Detail_Nursing_Home_Staffing_Q3_2025.csv", ("pbj_employee",)),
        ("PBJ_dailyNonnurseStaffing_CY2024Q3.csv", ()),
        ("Swing_Bed_SNF_data_Jul2026.csv", ()),
        ("provider_info_sample.csv", ()),
    ],
)
def test_cms_way_of_naming_says_what_unreadable_content_may_have_been(name: str, may_be: tuple[str, ...]) -> None:
    assert look(io.BytesIO(b"a,b\n1,2\n"), 8, "", name).may_be == may_be


def test_a_known_kind_under_the_name_of_another_is_missed_where_that_one_is_needed(home: Path, store: Store) -> None:
    """A file of non-nurses that somebody saved as the nurses' is left alone, but the nurses' quarter is not passed over."""
    (home / NAME).write_text(text("pbj_nonnurse", whole="2026Q1"))
    with pytest.raises(RefusedFile, match="it has the name of pbj_daily, but a pbj_nonnurse file"):
        Folder(home).fetch("pbj_daily", "2026Q1", store)
