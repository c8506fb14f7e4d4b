"""A made-up month has the form that CMS's files had in it, and is right by the rules of its day."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import requests

from pipelines.cli import main
from pipelines.errors import UsageError
from pipelines.sample import form
from pipelines.sample.catalogue import serve
from pipelines.sample.home import Home
from pipelines.sample.inspections import cycles_of, scored, weighted
from pipelines.sample.measures import measures_of
from pipelines.sample.names import identities
from pipelines.sample.nation import PLANTS, make_home, write_nation
from pipelines.sample.rules import points_of, star_scores
from pipelines.sample.surveys import COMPLAINT, STANDARD, History, Survey, cited
from pipelines.sample.truth import Truth
from pipelines.sample.window import window_of
from pipelines.sources.choose import open_source
from pipelines.store import Store
from schemas.files import kinds, layout, read_kinds, recognise

ARCHIVES = "/provider-data/api/1/archive/aggregate/theme/nursing-homes"
MONTHS = ("2022-07", "2023-04", "2023-05", "2023-06", "2024-06", "2024-07", "2025-07", "2026-02", "2026-08")
WHO = identities(60, 1, [(plant.key, plant.name, plant.state) for plant in PLANTS])


class Month:
    """A month of sixty homes and everything that was written of it."""

    def __init__(self, release: str, folder: Path):
        self.release, self.folder = release, folder
        write_nation(folder, homes=60, release=release)
        self.archive = min((folder / "archives").iterdir())
        with zipfile.ZipFile(self.archive) as packed:
            self.members = {name: packed.read(name) for name in packed.namelist()}

    def content(self, kind: str) -> bytes:
        name = form.member_name(kind, self.release)
        return next(content for path, content in self.members.items() if path.endswith(name) and not path.startswith("__"))

    def text(self, kind: str) -> str:
        return self.content(kind).decode("cp1252" if self.release < "2023-05" else "utf-8")

    def rows(self, kind: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.text(kind), newline="")))


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Month]:
    return {release: Month(release, tmp_path_factory.mktemp(release)) for release in MONTHS}


@cache
def made(key: str, release: str) -> tuple[Home, Truth]:
    """A planted home in a release."""
    return make_home(next(who for who in WHO if who.plant == key), window_of(release), 1)


def departures(key: str, release: str) -> int:
    return made(key, release)[1].turnover["total_nurse"].departures


@pytest.mark.parametrize("release", MONTHS)
def test_every_file_of_a_month_has_its_header_and_is_told_by_it(release: str, months: dict[str, Month]) -> None:
    month = months[release]
    for kind in kinds().values():
        if kind.clock == "release" and form.has(kind.name, release):
            header = next(csv.reader([month.text(kind.name).split("\r\n", 1)[0]]))
            verdict = recognise(header)
            assert verdict.kind is not None and verdict.kind.name == kind.name
            if not kind.name.startswith("snf_vbp"):
                assert tuple(header) == layout(kind.name, release)
            assert month.rows(kind.name), kind.name


def test_names_are_those_that_were_seen() -> None:
    """Evidence: members of real zips, and both shapes of the archives."""
    seen = {
        ("provider_info", "2022-10"): "nursing_homes_including_rehab_services_10_2022/NH_ProviderInfo_Oct2022.csv",
        ("provider_info", "2024-04"): "NH_ProviderInfo_Apr2024.csv",
        ("provider_info", "2026-08"): "4pq5-n9py_2026-08-01_NH_ProviderInfo_Aug2026.csv",
        ("health_citations", "2026-08"): "r5ix-sfxw_2026-08-01_NH_HealthCitations_Aug2026.csv",
        ("snf_qrp", "2026-06"): "Skilled_Nursing_Facility_Quality_Reporting_Program_Provider_Data_Jun2026.csv",
        ("snf_qrp_national", "2026-06"): "Skilled_Nursing_Facility_Quality_Reporting_Program_National_Data_Apr2026.csv",
        ("covid_vax_provider", "2024-10"): "NH_CovidVaxProvider_20241027.csv",
        ("snf_vbp_facility", "2024-10"): "FY_2024_SNF_VBP_Facility_Performance.csv",
    }
    found = {(kind, release): form.place_of(kind, release, form.month_of(kind, release)) for kind, release in seen}
    assert found == seen
    assert form.archive_name("2026-08", form.release_days("2026-08")[0]) == "nursing-homes_2026-08-26.zip"
    assert not form.has("covid_vax_averages", "2026-03") and form.has("covid_vax_averages", "2025-05")


@pytest.mark.parametrize("release", MONTHS)
def test_encoding_line_ends_and_the_blank_line_are_those_of_the_month(release: str, months: dict[str, Month]) -> None:
    """cp1252 until April 2023 (0x92 in it), UTF-8 without a mark since; CRLF; a blank line at the end until June 2024."""
    for kind in read_kinds("release"):
        content = months[release].content(kind)
        assert content.endswith(b"\r\n\r\n") == (release <= "2024-06"), kind
        assert not content.startswith(b"\xef\xbb\xbf")
    citations = months[release].content("health_citations")
    assert (b"\x92" in citations) == (release < "2023-05") and ("’".encode() in citations) == (release >= "2023-05")
    broken = [row for row in months[release].rows("provider_info") if "\n" in row["Provider Address"]]
    assert len(broken) == 2 and citations.count(b"\n") > citations.count(b"\r\n")


def test_cells_are_quoted_as_they_were(months: dict[str, Month]) -> None:
    """2022: text and decimals in quotes, whole numbers bare; since July 2025 only names and places; blanks are bare everywhere."""
    old = months["2022-07"].text("provider_info").split("\r\n")[1]
    assert old.startswith('"015001","PLANT GAP OF 59 DAYS HOME","') and ',"Adams","For profit' in old and ',41,"37.9",,' in old
    new = months["2025-07"].text("provider_info").split("\r\n")[1]
    assert new.startswith('"015001","PLANT GAP OF 59 DAYS HOME","') and ",Adams,For profit" in new and ",41,37.9,," in new
    assert '"NATION","' in months["2022-07"].text("state_averages") and "\r\nNATION," in months["2026-02"].text("state_averages")
    assert '""' not in "".join(month.text("qm_mds") for month in months.values())


def test_columns_that_the_month_had_are_filled(months: dict[str, Month]) -> None:
    """All but what only chains have and what no home here is marked for."""
    never = {"Average Number of Residents per Day Footnote", "Affiliated Entity Name", "Affiliated Entity ID"}
    for month in months.values():
        for kind in kinds().values():
            if kind.clock == "release" and form.has(kind.name, month.release):
                rows = month.rows(kind.name)
                blank = {column for column in rows[0] if not any(row[column] for row in rows)}
                unknown = {c for c in blank if not c.startswith(("Chain ", "Number of Facilities in Chain"))} - never
                assert unknown <= ({"Measure Date Range"} if kind.name == "collection_intervals" else set()), (
                    month.release,
                    kind.name,
                )


def test_the_daily_file_of_2021q4_marks_homes_as_incomplete(months: dict[str, Month]) -> None:
    """A 34th column; the home's turnover is left out (R25), and of a window without the quarter it is not."""
    text = (months["2022-07"].folder / "pbj" / "PBJ_dailynursestaffing_CY2021Q4.csv").read_bytes().decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows[0]) == 34 and Counter(row["Incomplete"] for row in rows)["1"] == 92
    (ccn,) = {row["PROVNUM"] for row in rows if row["Incomplete"] == "1"}
    key = next(who.plant for who in WHO if who.ccn == ccn)
    assert made(key, "2022-07")[1].turnover["rn"].exclusions == ["incomplete_quarter"]
    assert made(key, "2022-07")[1].points["rn_turnover_pct"] is None
    assert made(key, "2023-10")[1].turnover["rn"].exclusions == []


def test_sixty_days_off_ended_a_spell_until_june_2024() -> None:
    """2.4: of the standard crew fourteen leave; one more who is away 60 to 89 days left by the old rule only."""
    away = {days: (departures(f"gap_{days}", "2024-06"), departures(f"gap_{days}", "2024-07")) for days in (59, 60, 89, 90)}
    assert away == {59: (14, 14), 60: (15, 14), 89: (15, 14), 90: (15, 15)}


def test_excluded_turnover_earns_the_minimum_since_april_2024() -> None:
    """R25; few eligible nurses are left out in any month, and the footnote says which."""
    points = {release: made("absent_daily", release)[1].points for release in ("2024-03", "2024-04")}
    measures = ("total_nurse_turnover_pct", "rn_turnover_pct", "administrator_departures")
    assert [[points[release][measure] for measure in measures] for release in points] == [[None, None, None], [5, 5, 10]]
    assert made("few_nurses", "2024-04")[1].points["rn_turnover_pct"] is None


def test_too_many_administrators_were_another_thing_before_july_2023() -> None:
    """2.8: five people on four days of one quarter; before, on twelve days of Q0 to Q2."""
    found = {
        r: "too_many_administrators" in made("crowd", r)[1].turnover["administrator"].exclusions for r in ("2023-06", "2023-07")
    }
    assert found == {"2023-06": False, "2023-07": True}


def test_levels_were_frozen_from_april_to_june_2024(months: dict[str, Month]) -> None:
    """R15: hours of 2023Q3, turnover of the window to 2023Q4."""
    assert [window_of(release).level for release in ("2024-03", "2024-04", "2024-06", "2024-07")] == [5, 4, 4, 5]
    intervals = {row["Measure Code"]: row for row in months["2024-06"].rows("collection_intervals")}
    assert intervals["STAFFING_LEVELS"]["Data Collection Period From Date"] == "07/01/2023"
    assert intervals["STAFFING_TURNOVER"]["Data Collection Period Through Date"] == "09/30/2023"
    home, truth = made("gap_59", "2024-06")
    days = list(window_of("2024-06").span(4))
    assert truth.reported["rn"] == Fraction(int(home.daily[days, :3].sum()), 100 * int(home.census[days].sum()))


def test_weekend_hours_were_adjusted_by_the_whole_week_until_june_2024(months: dict[str, Month]) -> None:
    """1.5: so weekend adjusted is weekend reported x adjusted total / reported total; July 2022 does not even print it."""
    truth = made("gap_59", "2022-07")[1]
    ratio = truth.adjusted["total_nurse"] / truth.reported["total_nurse"]
    assert truth.adjusted["weekend_total_nurse"] == truth.reported["weekend_total_nurse"] * ratio
    column = "Adjusted Weekend Total Nurse Staffing Hours per Resident per Day"
    assert [column in months[release].rows("provider_info")[0] for release in ("2022-07", "2023-04")] == [False, True]


def test_cut_points_are_those_of_the_month() -> None:
    """1.250 RN hours are 90 points of July 2022 and 100 of July 2024."""
    rn = "adjusted_rn_hprd"
    assert [points_of(release, rn, Fraction(5, 4)) for release in ("2024-06", "2024-07")] == [90, 100]


def surveyed(*days: date) -> list[Survey]:
    return [Survey(day, STANDARD, label) for label, day in enumerate(days, 1)]


def test_three_cycles_counted_until_june_2025() -> None:
    """4.3: 1/2, 1/3, 1/6, complaints by the year; 60/40 with two standard surveys; then 3/4 and 1/4, the second from 13 to 36 months."""
    found = {}
    for day in (date(2025, 6, 1), date(2025, 7, 1)):
        standard = surveyed(date(2025, 1, 10), date(2024, 1, 10), date(2023, 1, 10))
        complaint = Survey(date(2023, 3, 1), COMPLAINT, 3)
        citations = [cited(survey, "F812", letter) for survey, letter in zip((*standard, complaint), "DEFG", strict=True)]
        history = History((*standard, complaint), tuple(citations))
        found[day.month] = [cycle.score for cycle in cycles_of(history, day)]
        reasons = [one.reason for one in scored(history.citations, day)]
    assert found == {6: [4, 8, 36], 7: [4, 28]} and reasons == ["", "", "older_cycle", ""]
    assert weighted([4, 8, 36], "2025-06") == 2 + Fraction(8, 3) + 6 and weighted([4, 28], "2025-07") == 10
    assert weighted([10, 20], "2025-06") == 14 and weighted([10], "2025-06") == 0


def test_a_home_with_two_surveys_shows_two_cycles(months: dict[str, Month]) -> None:
    row = next(row for row in months["2024-06"].rows("provider_info") if not row["Rating Cycle 3 Total Health Score"])
    first, second = (int(row[f"Rating Cycle {n} Total Health Score"]) for n in (1, 2))
    assert Fraction(row["Total Weighted Health Survey Score"]) == Fraction(6 * first + 4 * second, 10)
    assert "Rating Cycle 2/3 Total Health Score" in months["2025-07"].rows("provider_info")[0]


def test_measures_are_those_of_the_month(months: dict[str, Month]) -> None:
    """5.1: 453, 471 gave way in January 2025, 419 a year later; frozen ones say their year."""
    gone = {
        release: {"453", "471", "419", "479", "S_042", "481"} & set(measures_of(release))
        for release in ("2024-12", "2025-01", "2026-01")
    }
    assert list(gone.values()) == [{"453", "471", "419"}, {"479", "S_042", "419"}, {"479", "S_042", "481"}]
    codes = {r: {row["Measure Code"] for row in months[r].rows("qm_mds")} for r in ("2024-06", "2026-02")}
    assert (len(codes["2024-06"]), len(codes["2026-02"])) == (18, 17)
    periods = {row["Measure Code"]: row["Measure Period"] for row in months["2024-07"].rows("qm_mds")}
    assert (periods["401"], periods["410"], periods["454"]) == ("2022Q4-2023Q3", "2023Q2-2024Q1", "2022Q3-2023Q2")


def test_thresholds_that_nobody_knows_are_the_last_known_ones() -> None:
    """CMS knows them: its file has stars, the truth says nothing that needs them but those stars."""
    assert star_scores("qm_rating", "2024-04") == star_scores("qm_rating", "2022-07") == (967, 1161, 1331, 1510)
    assert star_scores("long_stay_qm_rating", "2026-08") == (466, 566, 641, 736)


def test_the_same_month_gives_the_same_bytes_and_homes(months: dict[str, Month], tmp_path: Path) -> None:
    month = months["2023-04"]
    write_nation(tmp_path, homes=60, release=month.release)
    files = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [file for file in files if (tmp_path / file).read_bytes() != (month.folder / file).read_bytes()] == []
    more = identities(90, 1, [(plant.key, plant.name, plant.state) for plant in PLANTS])
    window = window_of(month.release)
    one, other = (make_home(next(who for who in which if who.number == 40), window, 1)[0] for which in (WHO, more))
    assert one.who == other.who and np.array_equal(one.rows.cents, other.rows.cents)


def test_no_revisit_needed_is_a_word_since_october_2025(months: dict[str, Month]) -> None:
    found = {r: "No revisit needed" in months[r].text("health_citations") for r in ("2025-07", "2026-02")}
    assert found == {"2025-07": False, "2026-02": True}


def test_september_2025_prints_three_decimals(tmp_path: Path) -> None:
    rows = Month("2025-09", tmp_path).rows("provider_info")
    assert {len(row["Registered Nurse turnover"].partition(".")[2]) for row in rows if row["Registered Nurse turnover"]} == {3}


@pytest.mark.parametrize(
    ("release", "place"),
    [
        (
            "2023-06",
            "archive/Nursing%20homes%20including%20rehab%20services/2023/nursing_homes_including_rehab_services_06_2023.zip",
        ),
        ("2026-08", "dataset-archives/unknown-type/nursing-homes_2026-08-26.zip"),
    ],
)
def test_the_catalogue_has_the_addresses_of_the_time(release: str, place: str, months: dict[str, Month]) -> None:
    """Absolute, or with /relative without the site; the newest archive also has an address of its own."""
    month = months[release]
    with serve(month.folder) as site:
        rows = requests.get(site + ARCHIVES, timeout=10).json()["data"]
        assert rows[0]["url"] == f"{site}/provider-data/sites/default/files/{place}"
        assert requests.get(rows[0]["url"], timeout=10).content == month.archive.read_bytes()
        assert requests.get(f"{site}{ARCHIVES}/relative", timeout=10).json()["data"][0]["url"] == rows[0]["url"].removeprefix(
            site
        )
    listed = json.loads((month.folder / "catalogue.json").read_text())
    assert len(listed["archives"]) == len(rows) == (2 if release >= "2026-07" else 1)


def test_a_store_has_the_nation_of_each_release_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written once; without a release that of the newest."""
    written = []

    def few(folder: Path, release: str) -> None:
        written.append(release)
        write_nation(folder, homes=3, release=release)

    monkeypatch.setattr("pipelines.sample.nation.write_nation", few)
    store = Store(tmp_path / "store")
    for release in ("2023-01", "", "2023-01"):
        source = open_source("sample", store, release)
        quarters = {offer.period for offer in source.offers() if offer.table == "pbj_daily"}
        assert quarters == set(window_of(release or "2026-07").quarters)
    assert written == ["2023-01", "2026-07"]
    assert sorted(path.name for path in (store.root / "sample").iterdir()) == ["2023-01", "2026-07"]


def test_months_of_a_quarter_share_its_pbj_files(tmp_path: Path) -> None:
    """CMS posts them once: a store that has the first month stages no quarter again for the second."""
    for release in ("2026-07", "2026-08"):
        write_nation(tmp_path / release, homes=60, release=release)
    files = [sorted((tmp_path / release / "pbj").iterdir()) for release in ("2026-07", "2026-08")]
    assert [(one.name, one.read_bytes() == other.read_bytes()) for one, other in zip(*files, strict=True)] == [
        (one.name, True) for one in files[0]
    ]


def test_a_month_without_release_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sample", str(tmp_path / "made"), "--homes", "3", "--release", "2025-01"]) == 2
    assert "no release 2025-01" in capsys.readouterr().err
    with pytest.raises(UsageError):
        window_of("2022-06")
    assert main(["sample", str(tmp_path / "made"), "--homes", "3", "--release", "2024-05"]) == 0
    assert (tmp_path / "made" / "archives" / "nursing_homes_including_rehab_services_05_2024.zip").exists()
