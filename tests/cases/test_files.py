"""Cases about which file is which: neighbours, names, containers, months, stores (C69, C74, C84, C90, C92, C94, C96).

Each as it happened, and twice with other files, in other encodings, in other containers.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.cli import main
from pipelines.engine import Engine
from pipelines.errors import UsageError
from pipelines.periods import release
from pipelines.report import not_renewed
from pipelines.resources import Run, _open_sources
from pipelines.sources.folder import Folder
from pipelines.staging import stage
from pipelines.store import Store
from tests import files
from tests.cases import fill

JULY, AUGUST = "2026-07", "2026-08"
QRP = "5sqm-2qku_Skilled_Nursing_Facility_Quality_Reporting_Program"
NEIGHBOURS = ("snf_qrp", "snf_qrp_national", "swing_bed")
CODE = "S_004_01_PPR_PD_RSRR"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def run(mine: Path, *asked: str) -> int:
    """The command, as another process would run it."""
    _open_sources.clear()
    return main(["run", *asked, "--source", str(mine), "--data", str(mine.parent / "store")])


def zipped(members: dict[str, bytes]) -> bytes:
    """A zip; a name keeps what separates its folders."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in members.items():
            info = zipfile.ZipInfo("x")
            info.filename = name  # the constructor would make slashes of what is no slash
            made.writestr(info, content)
    return out.getvalue()


def put(mine: Path, members: dict[str, bytes]) -> None:
    """Write files below the folder, and its folders."""
    for name, content in members.items():
        (mine / name).parent.mkdir(parents=True, exist_ok=True)
        (mine / name).write_bytes(content)


def providers(month: str, overall: str = "4") -> bytes:
    return files.providers(overall, f"{month}-01").encode()


# -- C69: the neighbours of a file --------------------------------------------------------------------------------------------


def of_the_program(kind: str) -> str:
    """A file of the SNF quality reporting program with one value."""
    cells = {"CMS Certification Number (CCN)": "015009" if kind == "snf_qrp" else "01Z009", "Measure Code": CODE, "Score": "10.5"}
    return files.text(kind, cells, whole=JULY, end="\r\n")


def side_by_side(mine: Path) -> None:
    names = dict(zip(NEIGHBOURS, ("Provider_Data_Jul2026", "National_Data_Apr2026", "Swing_Bed_SNF_data_Jul2026"), strict=True))
    put(mine, {f"{QRP}_{name}.csv": of_the_program(kind).encode() for kind, name in names.items()})


def in_one_zip_in_utf_16(mine: Path) -> None:
    put(mine, {"july.zip": zipped({f"{n}.txt": of_the_program(kind).encode("utf-16") for n, kind in enumerate(NEIGHBOURS)})})


def in_the_order_of_the_archive_with_the_homes_first(mine: Path) -> None:
    month = zipped({f"nh/{n}_{kind}": b"\xef\xbb\xbf" + of_the_program(kind).encode() for n, kind in enumerate(NEIGHBOURS)})
    put(mine, {"nursing_homes_including_rehab_services_2026.zip": zipped({"nursing_homes_07_2026.zip": month})})


@pytest.mark.parametrize("way", [side_by_side, in_one_zip_in_utf_16, in_the_order_of_the_archive_with_the_homes_first])
def test_c69_the_neighbours_of_the_snf_qrp_file_are_not_taken_for_it(
    way: Callable[[Path], None], mine: Path, store: Store
) -> None:
    """Hospitals with swing beds and the one national row have all but one or two of its columns; they are named and left alone."""
    way(mine)
    put(mine, {"p.csv": providers(JULY)})
    folder = Folder(mine)
    found = folder.fetch("snf_qrp", JULY, store)
    assert found is not None and found.name.endswith(("Provider_Data_Jul2026.csv", "0.txt", "0_snf_qrp"))
    assert [o.table for o in folder.offers()] == ["provider_info", "snf_qrp"]
    assert [kind for kind in NEIGHBOURS[1:] for told in folder.warnings if f"left alone, a {kind} file" in told] == [
        *NEIGHBOURS[1:]
    ]


# -- C74: names with backslashes ----------------------------------------------------------------------------------------------


def month_of_cut_points(month: str, five: str, encoding: str = "utf-8") -> dict[str, bytes]:
    return {"NH_ProviderInfo.csv": providers(month), "NH_HlthInspecCutpointsState.csv": files.cut_points(five).encode(encoding)}


def year_from_windows(mine: Path) -> None:
    months = {"07": month_of_cut_points(JULY, "0-4.000"), "08": month_of_cut_points(AUGUST, "0-5.000")}
    members = {rf"nursing_homes_{m}_2026\{name}": text for m, given in months.items() for name, text in given.items()}
    put(mine, {"nursing_homes_2026.zip": zipped(members)})


def zips_of_months_in_a_zip_with_a_drive(mine: Path) -> None:
    months = {"07": month_of_cut_points(JULY, "0-4.000", "utf-16"), "08": month_of_cut_points(AUGUST, "0-5.000", "utf-16")}
    inner = {rf"C:\data\2026\{m}.zip": zipped({rf"files\{n}": text for n, text in given.items()}) for m, given in months.items()}
    put(mine, {"all": zipped(inner)})


def slashes_and_backslashes(mine: Path) -> None:
    members = {rf"2026/07\{name}": text for name, text in month_of_cut_points(JULY, "0-4.000", "cp1252").items()}
    members |= {rf"2026/08\{name}.txt": text for name, text in month_of_cut_points(AUGUST, "0-5.000").items()}
    put(mine, {"both.zip": zipped(members)})


@pytest.mark.parametrize("way", [year_from_windows, zips_of_months_in_a_zip_with_a_drive, slashes_and_backslashes])
def test_c74_a_backslash_separates_folders_as_a_slash_does(way: Callable[[Path], None], mine: Path, store: Store) -> None:
    """Each month of a year's bundle has its own cut points: what does not say its month is of the provider file beside it."""
    way(mine)
    folder = Folder(mine)
    found = [folder.fetch("state_cut_points", month, store) for month in (JULY, AUGUST)]
    assert [("07" in supply.name, "08" in supply.name) for supply in found if supply] == [(True, False), (False, True)]
    assert folder.warnings == []


# -- C84: a refresh that renewed nothing --------------------------------------------------------------------------------------


def penalties(month: str, *fines: str) -> str:
    rows = [
        {
            "CMS Certification Number (CCN)": "015009",
            "Penalty Date": "2026-01-02",
            "Penalty Type": "Fine",
            "Fine Amount": fine,
            "Processing Date": f"{month}-01",
        }
        for fine in fines
    ]
    return files.text("penalties", *rows, whole=month)


def as_before(mine: Path) -> None:
    for month in (JULY, AUGUST):
        put(
            mine,
            {f"{month}/NH_ProviderInfo.csv": providers(month), f"{month}/NH_Penalties.csv": penalties(month, "100").encode()},
        )


def in_another_order_in_another_encoding(mine: Path) -> None:
    put(mine, {"p7.csv": providers(JULY), "p8.csv": providers(AUGUST), "f7.csv": penalties(JULY, "100", "200").encode()})
    put(mine, {"f8.zip": zipped({"fines.txt": penalties(AUGUST, "200", "100").encode("utf-16")})})


def with_us_dates_and_cents(mine: Path) -> None:
    again = penalties(AUGUST, "100.00").replace("2026-01-02", "01/02/2026").replace("\n", "\r\n")
    put(mine, {"p7.csv": providers(JULY), "p8.csv": providers(AUGUST), "f7.csv": penalties(JULY, "100").encode()})
    put(mine, {"f8": again.encode("cp1252")})


def told_of_august(mine: Path, store: Store) -> list[str]:
    """What is said of August after both months were staged."""
    folder = Folder(mine)
    for month in (JULY, AUGUST):
        for table in ("provider_info", "penalties"):
            assert folder.fetch(table, month, store)
            stage(store, table, month, fill.SETTINGS)
    assert not_renewed(Engine(store, release(JULY))) == []
    return not_renewed(Engine(store, release(AUGUST)))


@pytest.mark.parametrize("way", [as_before, in_another_order_in_another_encoding, with_us_dates_and_cents])
def test_c84_a_month_that_is_the_one_before_but_for_its_date_is_told(
    way: Callable[[Path], None], mine: Path, store: Store
) -> None:
    """As in September 2025, when citations, penalties and survey dates were those of July: told by table, the rows kept."""
    way(mine)
    assert told_of_august(mine, store) == [
        "The same rows but for the date, nothing of them was renewed, 2026-08 as in 2026-07: provider_info, penalties"
    ]
    assert store.checked("staged.penalties", AUGUST)["rows"] == store.checked("staged.penalties", JULY)["rows"] > 0


def test_c84_one_other_row_is_a_renewal(mine: Path, store: Store) -> None:
    as_before(mine)
    put(mine, {"2026-08/NH_Penalties.csv": penalties(AUGUST, "101").encode()})
    (told,) = told_of_august(mine, store)
    assert told.endswith("2026-08 as in 2026-07: provider_info")


def test_c84_it_stands_in_the_summary_of_the_run(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    as_before(mine)
    assert [run(mine, "--release", month) for month in (JULY, AUGUST)] == [0, 0]
    assert capsys.readouterr().out.count("nothing of them was renewed, 2026-08 as in 2026-07: provider_info, penalties") == 1


# -- C90: what the query API gives --------------------------------------------------------------------------------------------


def machine_names(text: str) -> str:
    """A file with the names that CMS's query API gives columns: in lower case, words joined, long ones cut."""
    header, rest = text.split("\n", 1)
    names = ("".join(c if c.isalnum() or c in " /" else "" for c in name).lower() for name in header.split(","))
    return ",".join("_".join(name.replace("/", " ").split())[:59] for name in names) + "\n" + rest


def provider_file(mine: Path) -> str:
    put(mine, {"r5ix-sfxw.csv": machine_names(files.providers("4", "2026-07-01")).encode()})
    return "r5ix-sfxw.csv"


def provider_file_in_utf_16_in_a_zip(mine: Path) -> str:
    put(mine, {"query.zip": zipped({"result": machine_names(files.providers("4", "2026-07-01")).encode("utf-16")})})
    return "query.zip!result"


def penalties_beside_the_provider_file(mine: Path) -> str:
    put(mine, {"p.csv": providers(JULY), "g6vv-u9sr.txt": machine_names(penalties(JULY, "100")).encode("cp1252")})
    return "g6vv-u9sr.txt"


@pytest.mark.parametrize("way", [provider_file, provider_file_in_utf_16_in_a_zip, penalties_beside_the_provider_file])
def test_c90_a_file_of_the_query_api_is_refused_by_name(
    way: Callable[[Path], str], mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds what is needed under names that are cut: the run stops with the file and why; a JSON answer beside it is named."""
    name = way(mine)
    put(mine, {"answer.json": b'{"count": 1, "results": [{"cms_certification_number_ccn": "015009"}]}'})
    assert run(mine, "--release", JULY) == 1
    told = capsys.readouterr()
    assert name in told.err and "query API" in told.err
    assert "Not used: answer.json" in told.out


# -- C92, C94, C96: where things are ------------------------------------------------------------------------------------------


def test_c92_a_tilde_is_the_home_folder(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the variable, as a shell leaves it between quotes, and in --source; no folder is named ~."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENSTARS_DATA", "~/a b/é")
    monkeypatch.chdir(mine)
    put(mine, {"p.csv": providers(JULY)})
    _open_sources.clear()
    assert main(["run", "--release", JULY, "--source", "~/mine"]) == 0
    assert (tmp_path / "a b" / "é" / "published" / JULY).is_dir()
    assert [file.name for file in mine.iterdir()] == ["p.csv"]


@pytest.mark.parametrize(("variable", "option"), [("~/a b/é", ""), ("~nobody/here", "~/a b/é"), ("", "~/../{name}/a b/é")])
def test_c92_also_in_the_option_and_on_the_way(
    variable: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENSTARS_DATA", variable)
    assert Run(data=option.format(name=tmp_path.name)).located().root == (tmp_path / "a b" / "é").resolve()


def test_c92_the_home_of_nobody_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSTARS_DATA", "~nobody-of-this-name/here")
    with pytest.raises(UsageError, match="~nobody-of-this-name/here"):
        Run().located()


@pytest.mark.parametrize(
    ("quarter", "there", "encoding", "told"),
    [
        ("2025Q3", "2026-02", "utf-8", "2025Q3 is first shown by 2026-01, which CMS's archive does not have: taking 2026-02"),
        ("2025Q3", "2026-03", "utf-16", "--release 2026-03"),  # the folder has only the month after that
        ("2024Q3", "2025-02", "cp1252", "Release 2025-02"),  # January 2025 was never made
    ],
)
def test_c94_a_quarter_takes_or_names_a_month_that_can_be_had(
    quarter: str, there: str, encoding: str, told: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(mine, {"m.zip": zipped({"p": providers(there).decode().encode(encoding)})})
    run(mine, "--quarter", quarter)
    assert told in "".join(capsys.readouterr())


@pytest.mark.parametrize("left", ["tmp/stage.x/text.csv", "staged/provider_info/release=2026-07/data.zip", "raw/blobs/00/p"])
def test_c96_the_store_is_no_source(left: str, mine: Path) -> None:
    """A run in the folder of the files writes its store there; what that holds, also what a killed run left, is no input."""
    put(mine, {"p.csv": providers(JULY)})
    store = Store(mine / "data" / "store")
    store.try_to_write()
    other = files.providers("1", "2026-07-01").encode("utf-16")
    put(store.root, {left: zipped({"p.csv": other}) if left.endswith(".zip") else other})
    folder = Folder(mine)
    found = folder.fetch("provider_info", JULY, store)
    assert found is not None and found.name == "p.csv"
    assert folder.warnings == ["data/store: a store, which is no source"]
