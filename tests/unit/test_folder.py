"""A folder of CMS files as a person has them."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from pipelines.errors import OpenstarsError, RefusedFile
from pipelines.sources import archive
from pipelines.sources.folder import Folder
from pipelines.sources.names import archive_date, order, parse_day
from pipelines.store import Store, Supply
from tests.files import cut_points, daily, employee, providers, text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def put(home: Path, name: str, content: str | bytes) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def zipped(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def content(store: Store, supply: Supply | None) -> str:
    assert supply is not None
    path = store.blob(supply.sha256)
    if not supply.member:
        return path.read_text()
    with archive.open_member(path, supply.member) as stream:
        return stream.read().decode()


def test_files_of_any_name_at_any_depth_are_known_by_header_and_rows(home: Path, store: Store) -> None:
    put(home, "a/b/x.CSV", "\ufeff" + daily("2026Q1", "20260101"))
    put(home, "c.zip", zipped({"in.zip": zipped({"deep/y.csv": employee("2025Q4", "20251001")})}))
    put(home, "z.csv", providers("4", "07/01/2026"))
    folder = Folder(home)
    assert [(o.table, o.period, o.address) for o in folder.offers()] == [
        ("pbj_daily", "2026Q1", "a/b/x.CSV"),
        ("pbj_employee", "2025Q4", "c.zip!in.zip!deep/y.csv"),
        ("provider_info", "2026-07", "z.csv"),
    ]
    assert folder.warnings == []
    got = folder.fetch("pbj_employee", "2025Q4", store)
    assert content(store, got).startswith("PROVNUM,CY_Qtr") and got is not None and got.address == "c.zip"
    assert folder.fetch("pbj_employee", "2025Q3", store) is None
    assert folder.fetch("pbj_employee", "2025Q4", store) == got


def test_what_is_not_used_is_named_with_why(home: Path) -> None:
    put(home, "good.csv", daily("2026Q1", "20260101"))
    put(home, "near.csv", "PROVNUM,CY_Qtr,WorkDate,MDScensus\n015009,2026Q1,20260101,50\n")
    put(home, "far.csv", "a,b\n1,2\n")
    put(home, "notes", "some words\n")
    put(home, "manual.pdf", b"%PDF-1.4 x")
    put(home, "swing.csv", text("swing_bed", whole="2026-07"))
    told = Folder(home).warnings
    assert told == [
        "swing.csv: left alone, a swing_bed file (SNF QRP - Swing Beds - Provider Data), a kind that is not read here",
        "manual.pdf: left alone, it is a PDF; only CSV files are read, also in zips",
        "far.csv, notes: left alone, its header is of no file that is known here",
        "near.csv: left alone, its header is of no file that is known here; nearest is pbj_daily (4 columns fit), "
        "which needs Hrs_RNDON, Hrs_RNadmin, Hrs_RN, Hrs_LPNadmin, Hrs_LPN and 3 more",
    ]


def test_a_file_that_lacks_a_required_column_stops_the_run_that_needs_it(home: Path, store: Store) -> None:
    put(home, "x.csv", daily("2026Q1", "20260101").replace("MDScensus", "Residents"))
    put(home, "p.csv", providers("4", "2026-07-01"))
    folder = Folder(home)
    with pytest.raises(
        RefusedFile, match=r"x\.csv: it resembles pbj_daily, but required column MDScensus is missing .*Residents"
    ):
        folder.fetch("pbj_daily", "2026Q1", store)
    assert folder.fetch("pbj_employee", "2026Q1", store) is None
    assert folder.fetch("provider_info", "2026-07", store) is not None


def test_a_folder_with_nothing_in_it_says_what_was_looked_for(home: Path) -> None:
    put(home, "far.csv", "a,b\n1,2\n")
    with pytest.raises(OpenstarsError, match=r"pbj_daily, pbj_employee, provider_info(.|\n)*far\.csv"):
        Folder(home).offers()


def test_two_equal_copies_are_fine_and_two_different_ones_are_refused_by_name(home: Path, store: Store) -> None:
    put(home, "a.csv", daily("2026Q1", "20260101"))
    put(home, "b.zip", zipped({"q.csv": daily("2026Q1", "20260101")}))
    assert Folder(home).fetch("pbj_daily", "2026Q1", store) is not None
    assert Folder(home).warnings == ["b.zip!q.csv: not used, a.csv has the same content"]
    put(home, "c (4).csv", daily("2026Q1", "20260101", "9"))
    folder = Folder(home)
    with pytest.raises(RefusedFile, match=r"a\.csv.*c \(4\)\.csv.*differ"):
        folder.fetch("pbj_daily", "2026Q1", store)
    assert len(folder.warnings) == 1


JULY = "2026-07-01"


@pytest.mark.parametrize(
    ("older", "newer", "dates"),
    [
        ("a.csv", "b.csv", ("2026-07-02", "20260731")),
        ("4pq5-n9py_2026-07-01_P.csv", "4pq5-n9py_2026-07-29_P.csv", (JULY, JULY)),
        ("h_2026-07-29.zip/p.csv", "h_2026-08-06.zip/p.csv", (JULY, JULY)),
        ("homes_07_2026.zip/p.csv", "homes_08_2026.zip/p.csv", (JULY, JULY)),
    ],
    ids=["processing date", "prefix", "zip by day", "zip by month"],
)
def test_the_later_by_cms_own_dates_wins_and_the_other_is_reported(
    home: Path, store: Store, older: str, newer: str, dates: tuple[str, str]
) -> None:
    for turned in (False, True):  # whichever comes first in name order
        for name, stars, day, place in ((older, "1", dates[0], "za"[not turned]), (newer, "2", dates[1], "az"[not turned])):
            where, _, member = name.rpartition("/")
            text = providers(stars, day)
            put(home, f"{place}/{where or member}", zipped({member: text}) if where else text)
        folder = Folder(home)
        assert content(store, folder.fetch("provider_info", "2026-07", store)).splitlines()[1].split(",")[1] == "2"
        (warning,) = folder.warnings
        assert "not used" in warning and warning.startswith("z/" if turned else "a/")
        for file in sorted(home.rglob("*.*")):
            file.unlink()


@pytest.mark.parametrize("packed", [True, False])
def test_the_manifest_of_cms_tells_the_later_in_a_zip_and_unpacked(home: Path, store: Store, packed: bool) -> None:
    for place, day, stars in (("a", "2026-07-29", "2"), ("b", "2026-07-01", "1")):
        manifest = json.dumps([{"modified_date": day, "resources": [{"filename": "P.csv"}]}])
        files: dict[str, str | bytes] = {"P.csv": providers(stars, "2026-07-01"), "manifest.json": manifest}
        if packed:
            put(home, f"{place}.zip", zipped({f"in/{name}": text for name, text in files.items()}))
        else:
            for name, text in files.items():
                put(home, f"{place}/{name}", text)
    got = Folder(home).fetch("provider_info", "2026-07", store)
    assert got is not None and got.modified == "2026-07-29"


def test_a_damaged_zip_is_a_warning_until_what_is_asked_for_may_be_in_it(home: Path, store: Store) -> None:
    put(home, "good.csv", daily("2026Q1", "20260101"))
    put(home, "cut.zip", zipped({"x.csv": employee("2026Q1", "20260101")})[:-25])
    folder = Folder(home)
    assert folder.fetch("pbj_daily", "2026Q1", store) is not None
    assert "cut.zip" in folder.warnings[0]
    with pytest.raises(RefusedFile, match=r"cut\.zip"):
        folder.fetch("pbj_employee", "2026Q1", store)


def test_a_known_file_of_no_known_period_is_never_passed_over(home: Path, store: Store) -> None:
    put(home, "good.csv", daily("2026Q1", "20260101"))
    put(home, "odd.csv", daily("first", "20260101").replace("20260101", "13/45/2026"))
    folder = Folder(home)
    assert folder.fetch("pbj_daily", "2026Q1", store) is not None
    with pytest.raises(RefusedFile, match=r'odd\.csv.*"first"'):
        folder.fetch("pbj_daily", "2025Q4", store)


def test_a_file_that_does_not_say_its_month_is_of_the_provider_file_beside_it(home: Path, store: Store) -> None:
    put(home, "m.zip", zipped({"p.csv": providers("1", "2026-07-01"), "s.csv": cut_points("0-1.000")}))
    put(home, "n.zip", zipped({"p.csv": providers("1", "2026-08-01"), "s.csv": cut_points("0-2.000")}))
    found = {(o.table, o.period): o.address for o in Folder(home).offers()}
    assert (found["state_cut_points", "2026-07"], found["state_cut_points", "2026-08"]) == ("m.zip!s.csv", "n.zip!s.csv")


def test_of_two_months_in_one_folder_the_name_tells_and_without_one_nothing_is_guessed(home: Path, store: Store) -> None:
    for month, day in (("Jul", "2026-07-01"), ("Aug", "2026-08-01")):
        put(home, f"NH_ProviderInfo_{month}2026.csv", providers("1", day))
        put(home, f"NH_HlthInspecCutpointsState_{month}2026.csv", cut_points(f"0-{day[6]}.000"))
    got = Folder(home).fetch("state_cut_points", "2026-08", store)
    assert got is not None and got.name == "NH_HlthInspecCutpointsState_Aug2026.csv"
    (home / "NH_HlthInspecCutpointsState_Aug2026.csv").rename(home / "cuts.csv")
    with pytest.raises(RefusedFile, match=r"cuts\.csv: its rows do not say their month"):
        Folder(home).fetch("state_cut_points", "2026-08", store)


def test_an_unchanged_file_is_not_read_again_and_a_changed_one_is_a_new_vintage(home: Path, store: Store) -> None:
    put(home, "a.csv", daily("2026Q1", "20260101"))
    first = Folder(home).fetch("pbj_daily", "2026Q1", store)
    assert Folder(home).fetch("pbj_daily", "2026Q1", store) == first
    put(home, "a.csv", daily("2026Q1", "20260101", "10"))
    assert Folder(home).fetch("pbj_daily", "2026Q1", store) != first
    assert len(store.vintages("pbj_daily", "2026Q1")) == 2


def test_days_are_read_in_each_of_cms_spellings() -> None:
    assert {str(parse_day(text)) for text in ("2026-07-01", "20260701", "07/01/2026", " 7/1/2026")} == {"2026-07-01"}
    assert parse_day("2026-13-01") is None and parse_day("July") is None


def test_the_date_in_an_archives_name_is_a_day_or_a_month() -> None:
    assert archive_date("nursing-homes_2026-08-06.zip!x/y.csv") == "2026-08-06"
    assert archive_date("2022.zip!nursing_homes_including_rehab_services_11_2022.zip!y.csv") == "2022-11"
    assert archive_date("PBJ_2026-08-06.csv") == ""


def test_a_month_and_a_day_within_it_have_no_order() -> None:
    assert order(("", "", "2026-07"), ("", "", "2026-07-29")) == 0
    assert order(("2026-07-01", "2026-07-29", ""), ("2026-07-01", "2026-07-01", "2027")) == 1
