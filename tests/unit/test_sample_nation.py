"""The made-up nation: CMS's layouts, planted homes counted by hand, one truth behind all files."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import mean

import duckdb
import numpy as np
import pytest

from pipelines.sample import layouts
from pipelines.sample.home import GROUPS, NURSE_CODES
from pipelines.sample.names import identities
from pipelines.sample.nation import BY_KEY, PLANTS, make_home, write_nation
from pipelines.sample.people import REAL, ordinary_home
from pipelines.sample.truth import Spell, Truth, spells
from pipelines.sample.window import window_of
from schemas.files import layout, recognise

HOMES = 130
WINDOW = window_of("2026-07")
Expected = dict[tuple[str, str, str, str], str]


@pytest.fixture(scope="module")
def nation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nation")
    write_nation(folder, homes=HOMES)
    return folder


@pytest.fixture(scope="module")
def planted(nation: Path) -> dict[str, str]:
    """CCN of each planted home."""
    with (nation / "plants.csv").open(newline="", encoding="utf-8") as lines:
        return {row["plant"]: row["ccn"] for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def truth(nation: Path) -> Expected:
    with (nation / "truth.csv").open(newline="", encoding="utf-8") as lines:
        return {(r["ccn"], r["table"], r["measure"], r["column"]): r["expected"] for r in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def made() -> dict[str, Truth]:
    who = identities(HOMES, 1, [(p.key, p.name, p.state) for p in PLANTS])
    return {one.plant: make_home(one, WINDOW, 1)[1] for one in who if one.plant}


def employee_csv(nation: Path, position: int) -> bytes:
    stem = nation / "pbj" / f"PBJ_employeedetail_CY{WINDOW.quarters[position]}"
    if position not in layouts.ZIPPED_POSITIONS:
        return stem.with_suffix(".csv").read_bytes()
    with zipfile.ZipFile(stem.with_suffix(".zip")) as packed:
        assert len(packed.namelist()) == 1
        return packed.read(packed.namelist()[0])


def daily_text(nation: Path, position: int) -> str:
    encoding = "cp1252" if position in layouts.CP1252_POSITIONS else "utf-8"
    return (nation / "pbj" / f"PBJ_dailynursestaffing_CY{WINDOW.quarters[position]}.csv").read_bytes().decode(encoding)


def archive_rows(nation: Path, day: str, stem: str) -> list[dict[str, str]]:
    with zipfile.ZipFile(nation / "archives" / f"nursing-homes_{day}.zip") as packed:
        name = next(n for n in packed.namelist() if stem in n and not n.startswith("__MACOSX"))
        return list(csv.DictReader(io.StringIO(packed.read(name).decode(), newline="")))


def header_of(text: str) -> list[str]:
    return next(csv.reader([text.split("\n", 1)[0]]))


def test_the_same_arguments_give_the_same_bytes(nation: Path, tmp_path: Path) -> None:
    write_nation(tmp_path, homes=HOMES)
    files = sorted(p.relative_to(nation) for p in nation.rglob("*") if p.is_file())
    assert files == sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file())
    assert [f for f in files if (nation / f).read_bytes() != (tmp_path / f).read_bytes()] == []


def test_a_home_does_not_depend_on_the_number_of_homes() -> None:
    plants = [(p.key, p.name, p.state) for p in PLANTS]
    few = {who.number: who for who in identities(110, 1, plants)}
    many = {who.number: who for who in identities(200, 1, plants)}
    assert all(many[number] == who for number, who in few.items())
    one, other = make_home(few[109], WINDOW, 1)[0], make_home(many[109], WINDOW, 1)[0]
    assert np.array_equal(one.rows.cents, other.rows.cents) and np.array_equal(one.census, other.census)


def test_headers_are_those_of_cms_and_known_to_the_schemas(nation: Path) -> None:
    assert [len(layout(kind, "2026-07")) for kind in ("provider_info", "state_averages")] == [99, 51]
    for position, quarter in enumerate(WINDOW.quarters):
        daily, employee = (header_of(text) for text in (daily_text(nation, position), employee_csv(nation, position).decode()))
        assert tuple(daily) == layouts.daily_header(position, quarter) and len(daily) == 33
        assert tuple(employee) == layouts.employee_header(position, quarter) and len(employee) == 9
        for header, name in ((daily, "pbj_daily"), (employee, "pbj_employee")):
            kind = recognise(header).kind
            assert kind is not None and kind.name == name
    for kind, stem in (("provider_info", "NH_ProviderInfo"), ("state_averages", "NH_StateUSAverages")):
        assert tuple(archive_rows(nation, "2026-07-29", stem)[0]) == layout(kind, "2026-07")


def test_pbj_files_quote_text_and_leave_numbers_bare(nation: Path, planted: dict[str, str]) -> None:
    """As a real daily file does; lines end with a line feed."""
    text = daily_text(nation, 3)
    assert text.startswith('"PROVNUM","PROVNAME",') and "\r" not in text
    line = next(line for line in text.split("\n") if line.startswith(f'"{planted["twin_a"]}"'))
    assert re.fullmatch(r'"21\d{4}","PLANT TWIN NAME HOME","[^"]+","MD","[^"]+",\d+,"2025Q3",20250701,\d+(,[\d.]+){24}', line)
    assert employee_csv(nation, 3).decode().split("\n")[1].startswith('"015001","AL","2025Q3",20250701,')


def test_names_outside_ascii_come_in_two_encodings(nation: Path) -> None:
    for position in range(6):
        text = daily_text(nation, position)
        assert "PLANT RESIDENCIA PEÑA – NORTE" in text and "PLANT ST. MARY’S HOME" in text


def test_daily_hours_are_the_sums_of_the_employee_rows(nation: Path, planted: dict[str, str], tmp_path: Path) -> None:
    """Every home, day and job code, but for the homes planted to differ."""
    differ = {planted["sums_differ"], planted["blank_cell"], planted["absent_daily"], planted["absent_employee"]}
    for position in range(6):
        (tmp_path / "daily.csv").write_text(daily_text(nation, position), encoding="utf-8")
        (tmp_path / "employee.csv").write_bytes(employee_csv(nation, position))
        header = layouts.daily_header(position, WINDOW.quarters[position])
        totals = [header[9 + 3 * k] for k in range(8)]
        hours = ", ".join(
            f"""{code}: replace("{name}", ',', '')::decimal(9,2)""" for code, name in zip(NURSE_CODES, totals, strict=True)
        )
        contract = layouts.employee_header(position, WINDOW.quarters[position])[6]
        found = duckdb.sql(f"""
            with daily as (
                select lpad(provnum, 6, '0') as ccn, workdate as day, unnest(map_entries(map {{{hours}}})) as cell
                from read_csv('{tmp_path}/daily.csv', all_varchar = true, header = true, quote = '"')
            ),
            employee as (
                select PROVNUM as ccn, WorkDate as day, EMPLEE_JOB_CD_ID::int as code, sum(WORK_HRS_NUM::decimal(9,2)) as hours
                from read_csv('{tmp_path}/employee.csv', all_varchar = true, header = true)
                where EMPLEE_JOB_CD_ID::int between 5 and 12 and {contract} in ('1', '2')
                group by all
            )
            select distinct coalesce(daily.ccn, employee.ccn)
            from daily full join employee
                on daily.ccn = employee.ccn and daily.day = employee.day and daily.cell.key = employee.code
            where coalesce(daily.cell.value, 0) <> coalesce(employee.hours, 0)
        """).fetchall()
        assert {ccn for (ccn,) in found} <= differ
        assert (planted["sums_differ"] in {ccn for (ccn,) in found}) == (position == 4)


def test_employee_rows_are_in_cms_order(nation: Path) -> None:
    """Homes by number, then day, then person as a number."""
    rows = list(csv.reader(io.StringIO(employee_csv(nation, 5).decode())))[1:]
    keys = [(r[0], r[3], int(r[4])) for r in rows]
    assert keys == sorted(keys)
    assert {r[6] for r in rows} == {"1", "2"} and {int(r[5]) for r in rows} >= {1, 2, 5, 6, 7, 9, 10, 18, 21, 29, 39}


@pytest.mark.parametrize("key", [plant.key for plant in PLANTS])
def test_planted_home_holds_what_was_counted_by_hand(
    key: str, made: dict[str, Truth], planted: dict[str, str], truth: Expected
) -> None:
    plant, found, ccn = BY_KEY[key], made[key], planted[key]
    for measure, (eligible, departures) in plant.counts.items():
        assert (found.turnover[measure].eligible, found.turnover[measure].departures) == (eligible, departures)
        assert truth[ccn, "turnover", measure, "eligible_spells"] == str(eligible)
    for word in plant.also:
        assert any((k[0], k[1], k[3]) == (ccn, "exclusions", word) for k in truth)
    if plant.status:
        assert truth[ccn, "ratings", "", "staffing_status"] == plant.status
        assert truth[ccn, "ratings", "", "staffing_reason"] == plant.reason
        assert plant.star is None or truth[ccn, "ratings", "", "staffing_rating"] == str(plant.star)
        assert (truth[ccn, "ratings", "", "staffing_rating"] == "") == (plant.status != "rated")


def test_ties_earn_the_better_band(planted: dict[str, str], truth: Expected) -> None:
    """R10: the upper end of a turnover band belongs to it; R11: a half rounds up into the next band of hours."""
    wanted = {
        ("tie_total", "adjusted_total_nurse_hprd"): "80",
        ("below_tie_total", "adjusted_total_nurse_hprd"): "70",
        ("tie_rn", "adjusted_rn_hprd"): "80",
        ("tie_weekend", "adjusted_weekend_total_nurse_hprd"): "40",
        ("turnover_3_of_8", "total_nurse_turnover_pct"): "45",
        ("turnover_rn_5_of_12", "rn_turnover_pct"): "35",
        ("turnover_rn_2_of_7", "rn_turnover_pct"): "45",
        ("no_submission", "total_nurse_turnover_pct"): "5",
        ("full_day", "rn_turnover_pct"): "5",
        ("few_nurses", "total_nurse_turnover_pct"): "",
        ("no_eligible_rn", "rn_turnover_pct"): "",
        ("crowd", "administrator_departures"): "10",
        ("administrators_1", "administrator_departures"): "25",
        ("administrators_3", "administrator_departures"): "10",
    }
    assert {k: truth[planted[k[0]], "rating_components", k[1], "points"] for k in wanted} == wanted


def test_published_hours_follow_from_the_printed_inputs(nation: Path) -> None:
    """Adjusted = reported / case mix x the NATION row, to a unit of the fifth decimal."""
    nation_row = archive_rows(nation, "2026-07-29", "NH_StateUSAverages")[0]
    compared = 0
    for row in archive_rows(nation, "2026-07-29", "NH_ProviderInfo"):
        column = "Case-Mix Total Nurse Staffing Hours per Resident per Day"
        if row[column] and row["Reported Total Nurse Staffing Hours per Resident per Day"]:  # blank hours keep their case mix
            reported = Decimal(row["Reported Total Nurse Staffing Hours per Resident per Day"])
            adjusted = Decimal(row["Adjusted Total Nurse Staffing Hours per Resident per Day"])
            rebuilt = (reported / Decimal(row[column]) * Decimal(nation_row[column])).quantize(Decimal("0.00001"), ROUND_HALF_UP)
            assert abs(rebuilt - adjusted) <= Decimal("0.00001")
            compared += 1
    assert compared > 100


def test_oddities_of_files_are_there(nation: Path, planted: dict[str, str]) -> None:
    short = planted["lost_zero"].lstrip("0")
    assert [f"\n{short}," in daily_text(nation, k) for k in range(6)] == [False, False, False, True, False, False]
    assert '"1,' in daily_text(nation, 5) and '"1,' not in daily_text(nation, 4)
    assert planted["lettered"][2] == "A"
    homes = {row["CMS Certification Number (CCN)"] for row in archive_rows(nation, "2026-07-29", "NH_ProviderInfo")}
    assert planted["pbj_only"] not in homes and planted["provider_only"] in homes and len(homes) == HOMES - 1
    assert f'\n"{planted["provider_only"]}",' not in daily_text(nation, 5)
    assert ",," in next(line for line in daily_text(nation, 5).split("\n") if "BLANK HOURS" in line and ",," in line)


def test_the_second_archive_posts_part_of_the_month_again(nation: Path) -> None:
    first, second = (archive_rows(nation, day, "NH_ProviderInfo") for day in ("2026-07-29", "2026-08-06"))
    changed = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    assert len(changed) == 1 and {k for k in changed[0][0] if changed[0][0][k] != changed[0][1][k]} == {"Telephone Number"}
    for day, members in (("2026-07-29", 18), ("2026-08-06", 2)):
        with zipfile.ZipFile(nation / "archives" / f"nursing-homes_{day}.zip") as packed:
            manifest = json.loads(packed.read("manifest.json"))
            assert len(manifest) == members and any(n.startswith("__MACOSX/._") for n in packed.namelist())
            for entry in manifest:
                assert packed.getinfo(entry["resources"][0]["filename"]).file_size == entry["resources"][0]["filesize"]
    intervals = {r["Measure Code"]: r for r in archive_rows(nation, "2026-07-29", "NH_DataCollectionIntervals")}
    assert intervals["STAFFING_LEVELS"]["Data Collection Period From Date"] == "01/01/2026"
    assert intervals["STAFFING_TURNOVER"]["Data Collection Period Through Date"] == "12/31/2025"


def test_the_catalogue_lists_every_file(nation: Path) -> None:
    listed = json.loads((nation / "catalogue.json").read_text(encoding="utf-8"))
    files = {entry["file"] for part in listed.values() for entry in part}
    assert files == {p.relative_to(nation).as_posix() for p in nation.rglob("*") if p.parent != nation and p.is_file()}
    newest = [e for e in listed["pbj"] if e["temporal"] == "2026-01-01/2026-03-31"]
    assert len(newest) == 2 and all(e["modified"] == "2026-07-29" for e in newest)


def test_ordinary_homes_are_like_real_ones(nation: Path) -> None:
    """Wide bounds for a few homes; of the whole default nation the means are within a few hundredths of July 2026."""
    rows = archive_rows(nation, "2026-07-29", "NH_ProviderInfo")
    bounds = {
        "Total nursing staff turnover": (38, 58),
        "Registered Nurse turnover": (28, 56),
        "Number of administrators who have left the nursing home": (0.1, 0.9),
        "Reported Total Nurse Staffing Hours per Resident per Day": (3.4, 4.5),
        "Reported RN Staffing Hours per Resident per Day": (0.5, 1.0),
        "Nursing Case-Mix Index": (1.3, 1.5),
    }
    for column, (low, high) in bounds.items():
        assert low < mean(float(r[column]) for r in rows if r[column]) < high, column
    assert {r["Staffing Rating"] for r in rows} == {"", "1", "2", "3", "4", "5"}


def test_homes_of_real_size_have_as_many_rows_as_real_ones() -> None:
    """14,700 homes make about 65 million rows a quarter: 4,420 a home. Some 250 homes tell the mean to a tenth."""
    ordinary = [who for who in identities(360, 1, [(p.key, p.name, p.state) for p in PLANTS]) if not who.plant]
    rows = [len(ordinary_home(who, WINDOW, np.random.default_rng([1, who.number]), REAL).rows) / 6 for who in ordinary]
    assert 4000 < mean(rows) < 4900


def test_return_after_ninety_days_off_is_a_second_spell() -> None:
    """R1: 90 whole days without work end a spell; 89 do not. R8: a gap that is not seen to its end ends nothing."""
    assert spells([0, 90, 181], 90, 200) == [Spell(0, 90, True), Spell(181, 181, False)]
    assert spells([0, 90, 180], 90, 270) == [Spell(0, 180, False)]
    assert spells([0], 90, 91) == [Spell(0, 0, True)]


def test_groups_are_the_eight_nurse_codes() -> None:
    assert sorted(GROUPS["rn"] + GROUPS["lpn"] + GROUPS["nurse_aide"]) == list(NURSE_CODES)
