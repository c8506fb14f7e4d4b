"""CMS's two catalogues as CMS writes them, and what is taken from them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipelines.errors import OpenstarsError, RefusedFile, UsageError
from pipelines.sample.catalogue import PUBLIC, SampleSource, serve
from pipelines.sources import QUARTER_TABLES
from pipelines.sources.choose import open_source
from pipelines.sources.cms import Cms
from pipelines.sources.folder import Folder
from pipelines.sources.look import still_is
from pipelines.store import Store, Supply, read_json
from schemas.files import kinds
from tests.files import HOURS, averages, daily, employee, providers, text

SHARED = Path(__file__).resolve().parents[3] / "shared"
EXAMPLES = SHARED / "reference" / "catalog_examples"
C15 = SHARED / "cases" / "C15-republished-quarter"

TITLES = {table: kinds()[table].title for table in QUARTER_TABLES}


def zipped(files: dict[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


class Site:
    """A folder that is served as CMS serves its files; what is put in shows at the next new Cms."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.content: dict[str, list[dict[str, str]]] = {"pbj": [], "archives": []}
        for table in TITLES:  # a real catalogue always has both datasets
            content = (daily if table == "pbj_daily" else employee)("2017Q1", "20170101")
            self.quarter(table, f"old_{table}.csv", content, "2017-01-01/2017-03-31")

    def quarter(self, table: str, name: str, content: str | bytes, temporal: str, modified: str = "2024-10-31") -> None:
        self.put(f"pbj/{name}", content)
        self.content["pbj"].append({"dataset": TITLES[table], "file": f"pbj/{name}", "temporal": temporal, "modified": modified})

    def archive(self, day: str, files: dict[str, str | bytes]) -> None:
        self.put(f"archives/nursing-homes_{day}.zip", zipped(files))
        self.content["archives"].append({"file": f"archives/nursing-homes_{day}.zip", "date": day})

    def put(self, name: str, content: str | bytes) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        (self.folder / "catalogue.json").write_text(json.dumps(self.content))

    def source(self) -> SampleSource:
        (self.folder / "catalogue.json").write_text(json.dumps(self.content))
        return SampleSource(self.folder)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def bring(site: Site, store: Store, table: str, period: str) -> Supply | None:
    with site.source() as source:
        return source.fetch(table, period, store)


def answered(monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any]) -> Cms:
    """A Cms whose catalogues give these answers."""

    def answer(url: str, *_: Any) -> Any:
        for end, content in answers.items():
            if url.endswith(end):
                return content
        raise OpenstarsError(f"{url}: the server answered 404")

    monkeypatch.setattr("pipelines.sources.cms.get_json", answer)
    return Cms()


@pytest.fixture
def cms(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cms]:
    if not EXAMPLES.exists():
        pytest.skip("CMS's own catalogue examples are not here")
    yield answered(
        monkeypatch,
        {
            "/data.json": read_json(EXAMPLES / "data_json_pbj_2025-02-01.json"),
            "theme/nursing-homes": read_json(EXAMPLES / "pdc_archive_theme_row_2026-08-26.json"),
            "current/theme/all": read_json(EXAMPLES / "pdc_archive_current_row_2026-08-26.json"),
        },
    )


def test_cms_own_data_json_gives_the_quarters_by_their_dates(cms: Cms) -> None:
    """The oldest entries are titled by their last day and have names without a quarter; `temporal` is right in all."""
    quarters = cms.quarters()
    assert {period for table, period in quarters if table == "pbj_daily"} >= {"2024Q2", "2024Q1", "2017Q1"}
    (offer,) = quarters["pbj_daily", "2024Q2"]
    assert (offer.address.rpartition("/")[2], offer.modified) == ("PBJ_dailynursestaffing_CY2024Q2.csv", "2024-10-31")
    assert quarters["pbj_daily", "2017Q1"][0].address.endswith("PBJ_Nurse_2017_Q1_afnb-m6tn.csv")
    assert all("Nonnurse" not in offer.address and "/data-api/" not in offer.address for (offer,) in quarters.values())


def test_cms_own_archive_row_gives_the_address_that_it_says(cms: Cms) -> None:
    (row,) = cms.archives()
    path = "/provider-data/sites/default/files/dataset-archives/unknown-type/nursing-homes_2026-08-26.zip"
    assert (row.url, row.day, row.size, row.kind) == (f"https://data.cms.gov{path}", "2026-08-26", 34053466, "theme")
    assert [offer.table for offer in cms.offers()][-1] == "archive"


def entry(temporal: str, name: str, modified: str, kind: str = "text/csv") -> dict[str, str]:
    return {
        "downloadURL": f"https://x/{name}",
        "mediaType": kind,
        "temporal": temporal,
        "modified": modified,
        "title": "x : 2020-01-01",
    }


def test_of_two_files_for_a_quarter_the_later_modified_wins_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    quarter = "2024-01-01/2024-03-31"
    entries = [entry(quarter, "new.zip", "2025-01-02", "application/zip"), entry(quarter, "old.csv", "2024-07-31")]
    for listed in (entries, entries[::-1]):
        catalogue = {"dataset": [{"title": title, "distribution": listed} for title in TITLES.values()]}
        cms = answered(monkeypatch, {"/data.json": catalogue})
        assert [o.address for o in cms.quarters()["pbj_daily", "2024Q1"]] == ["https://x/new.zip"]


def test_dates_that_are_no_quarter_are_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [entry("2024-01-01/2024-12-31", "year.csv", "2025-01-02"), entry("", "none.csv", "2025-01-02")]
    cms = answered(monkeypatch, {"/data.json": {"dataset": [{"title": t, "distribution": listed} for t in TITLES.values()]}})
    assert cms.quarters() == {}
    assert "year.csv" in cms.warnings[0] and "none.csv" in cms.warnings[1]


def test_a_dataset_under_another_title_is_an_error_that_names_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    cms = answered(monkeypatch, {"/data.json": {"dataset": [{"title": "Payroll Based Journal Daily Nurses"}]}})
    with pytest.raises(OpenstarsError, match=r"Daily Nurse Staffing.*like it: Payroll Based Journal Daily Nurses"):
        cms.quarters()


def test_an_empty_list_of_archives_is_a_fault_not_an_empty_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OpenstarsError, match="list of archives is empty"):
        answered(monkeypatch, {"theme/nursing-homes": {"data": [], "total_items": "0"}}).archives()


def test_a_quarter_is_fetched_once_and_its_note_stays_the_same(site: Site, store: Store) -> None:
    site.quarter("pbj_daily", "b (4).csv", daily("2024Q2", "20240401"), "2024-04-01/2024-06-30")
    first = bring(site, store, "pbj_daily", "2024Q2")
    assert first is not None and (first.name, first.member, first.modified) == ("b (4).csv", "", "2024-10-31")
    assert first.address.startswith(PUBLIC)
    assert bring(site, store, "pbj_daily", "2024Q2") == first
    assert bring(site, store, "pbj_daily", "2024Q3") is None
    assert len(store.vintages("pbj_daily", "2024Q2")) == 1


def test_a_quarter_in_a_zip_is_known_by_its_header_and_its_member_is_noted(site: Site, store: Store) -> None:
    content = zipped({"__MACOSX/._x.csv": "x", "in/x.csv": employee("2024Q2", "2024-04-01"), "notes.txt": "x"})
    site.quarter("pbj_employee", "e.zip", content, "2024-04-01/2024-06-30")
    got = bring(site, store, "pbj_employee", "2024Q2")
    assert got is not None and (got.name, got.member) == ("e.zip", "in/x.csv")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (daily("2024Q1", "20240101"), "the catalogue says 2024Q2 but the rows are of 2024Q1"),
        (daily("2024Q2", "20240101"), "CY_Qtr says 2024Q2 but WorkDate is in 2024Q1"),
        (employee("2024Q2", "20240401"), "it is a pbj_employee file"),
        (daily("2024Q2", "20240401").split("\n")[0] + "\n", "no rows"),
        ("a,b\n1,2\n", "no file that is known here"),
    ],
)
def test_a_file_that_is_not_what_the_catalogue_says_is_refused(site: Site, store: Store, content: str, why: str) -> None:
    site.quarter("pbj_daily", "b.csv", content, "2024-04-01/2024-06-30")
    with pytest.raises(RefusedFile, match=why):
        bring(site, store, "pbj_daily", "2024Q2")
    assert store.supply("pbj_daily", "2024Q2") is None


@pytest.mark.skipif(not C15.exists(), reason="the cases are not here")
def test_c15_a_moved_file_is_no_new_vintage_and_a_replaced_one_is(site: Site, store: Store) -> None:
    """Fetch 1, 2 (new address, same bytes), 3 (same address, new bytes): 1, 1 and 2 vintages; the old one stays readable."""
    v1, v2 = (_with_aides((C15 / name).read_text()) for name in ("v1.csv", "v2.csv"))
    quarter = "2024-04-01/2024-06-30"
    site.quarter("pbj_daily", "a/q.csv", v1, quarter, "2024-10-30")
    bring(site, store, "pbj_daily", "2024Q2")
    assert len(store.vintages("pbj_daily", "2024Q2")) == 1
    del site.content["pbj"][-1]
    site.quarter("pbj_daily", "zz/q.csv", v1, quarter, "2024-10-30")
    moved = bring(site, store, "pbj_daily", "2024Q2")
    assert moved is not None and len(store.vintages("pbj_daily", "2024Q2")) == 1
    assert len(read_json(Path(f"{store.blob(moved.sha256)}.json"))["seen"]) == 2
    site.put("pbj/zz/q.csv", v2)
    bring(site, store, "pbj_daily", "2024Q2")
    old, new = store.vintages("pbj_daily", "2024Q2")
    assert (store.blob(old.sha256).read_text(), store.blob(new.sha256).read_text()) == (v1, v2)


def _with_aides(content: str) -> str:
    head, *rows = content.split()
    more = [name for name in HOURS if name not in head.split(",")]
    return "\n".join([",".join([head, *more]), *(f"{row}{',1' * len(more)}" for row in rows)]) + "\n"


def month(stars: str, processed: str) -> dict[str, str | bytes]:
    return {"m/a.csv": providers(stars, processed), "m/b.csv": averages(stars, processed), "m/Other.csv": "a\n1\n"}


def test_a_partial_zip_later_in_the_month_wins_for_what_it_holds(site: Site, store: Store) -> None:
    """CMS on 6 August 2026: ProviderInfo of July again, alone in its zip."""
    site.archive("2026-08-26", month("1", "2026-08-01"))
    site.archive("2026-07-29", month("2", "2026-07-01"))
    site.archive("2026-08-06", {"4pq5-n9py_2026-07-29_NH_ProviderInfo_Jul2026.csv": providers("3", "07/01/2026")})
    info = bring(site, store, "provider_info", "2026-07")
    assert info is not None and info.name == "nursing-homes_2026-08-06.zip"
    assert (info.member, info.modified) == ("4pq5-n9py_2026-07-29_NH_ProviderInfo_Jul2026.csv", "2026-07-29")
    averages = bring(site, store, "state_averages", "2026-07")
    assert averages is not None and (averages.name, averages.member) == ("nursing-homes_2026-07-29.zip", "m/b.csv")
    august = bring(site, store, "provider_info", "2026-08")
    assert august is not None and august.name == "nursing-homes_2026-08-26.zip"
    assert bring(site, store, "collection_intervals", "2026-07") is None
    assert bring(site, store, "provider_info", "2026-09") is None


def test_the_month_is_that_of_the_rows_where_the_archive_runs_ahead(site: Site, store: Store) -> None:
    site.archive("2022-11-16", month("4", "20221001"))
    got = bring(site, store, "provider_info", "2022-10")
    assert got is not None and got.name == "nursing-homes_2022-11-16.zip"
    assert bring(site, store, "provider_info", "2022-11") is None


def test_a_month_that_is_only_in_a_yearly_bundle_is_found_there(
    site: Site, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle: dict[str, str | bytes] = {f"homes_{m}_2019.zip": zipped(month(m, f"2019-{m}-01")) for m in ("03", "04")}
    site.archive("2020-01-15", bundle)
    row = {"type": "annual_theme", "theme": "nursing-homes", "name": "Theme: nursing-homes (2019)", "date": "2020-01-15"}
    real = site.source()
    with real:
        cms = real.cms
        (listed,) = cms.archives()
        cms._lists.clear()
        monkeypatch.setattr(cms, "_rows", lambda url: [type(listed)(row["type"], row["date"], listed.url, None, row["name"])])
        got = cms.fetch("provider_info", "2019-03", store)
    assert got is not None and got.member == "homes_03_2019.zip!m/a.csv"


def test_a_zip_is_looked_through_once(site: Site, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    site.archive("2026-07-29", month("2", "2026-07-01"))
    bring(site, store, "provider_info", "2026-07")
    monkeypatch.setattr("pipelines.sources.look.look_into", lambda *_: pytest.fail("looked through again"))
    assert bring(site, store, "state_averages", "2026-07") is not None


def test_the_sample_is_served_under_addresses_that_do_not_change(site: Site, store: Store) -> None:
    site.archive("2026-07-29", month("2", "2026-07-01"))
    with site.source() as one:
        first = one.offers()
    with site.source() as other:
        assert other.offers() == first
    assert all(offer.address.startswith(PUBLIC) for offer in first)
    assert [(o.table, o.period) for o in first] == [("pbj_daily", "2017Q1"), ("pbj_employee", "2017Q1"), ("archive", "")]
    with serve(site.folder) as base:
        assert len(Cms(base, base).offers()) == 3


def test_a_source_is_named_by_a_word_or_a_folder(tmp_path: Path, site: Site) -> None:
    store = Store(tmp_path / "store")
    assert isinstance(open_source("cms", store), Cms)
    assert isinstance(open_source(str(tmp_path), store), Folder)
    site.folder.rename(tmp_path / "made")
    store.root.mkdir()
    (tmp_path / "made").rename(store.root / "sample")
    assert isinstance(open_source("sample", store), SampleSource)
    with pytest.raises(UsageError, match=r"cms.*sample.*folder"):
        open_source(str(tmp_path / "nowhere"), store)


ROW = {
    "id": "1",
    "type": "theme",
    "theme": "nursing-homes",
    "date": "2026-07-29",
    "url": "/x/nursing-homes_2026-07-29.zip",
    "size": "1",
}
NEWEST = {**ROW, "type": "current", "date": "2026-08-26", "url": "/x/theme_nursing-homes_current.zip"}


@pytest.mark.parametrize(
    "answers",
    [
        {"theme/nursing-homes": {"data": [ROW]}},
        {"theme/nursing-homes": {"data": {"0": ROW}}},
        {"theme/nursing-homes": [ROW]},
        {"theme/nursing-homes": {"data": []}, "nursing-homes/relative": {"data": [ROW], "total_items": "1"}},
        {"nursing-homes/relative": {"data": [{**ROW, "url": "https://data.cms.gov/x/nursing-homes_2026-07-29.zip"}]}},
        {"theme/nursing-homes": {"data": [ROW, ROW, {**ROW, "theme": "hospice-care"}, {**ROW, "url": ""}, "odd"]}},
    ],
    ids=["list", "keyed", "bare list", "empty, then relative", "only relative, absolute address", "twice and others between"],
)
def test_the_list_of_archives_is_found_in_every_shape_that_was_seen(
    monkeypatch: pytest.MonkeyPatch, answers: dict[str, Any]
) -> None:
    cms = answered(monkeypatch, answers)
    assert [(row.day, row.url) for row in cms.archives()] == [
        ("2026-07-29", "https://data.cms.gov/x/nursing-homes_2026-07-29.zip")
    ]
    is_first = answers.get("theme/nursing-homes") not in (None, {"data": []})
    assert bool(cms.warnings) is not is_first
    assert is_first or "other addresses" in cms.warnings[0]


@pytest.mark.parametrize("end", ["current/theme/nursing-homes", "current/theme/all", "current/theme/nursing-homes/relative"])
def test_the_newest_month_is_found_at_each_address_of_the_current_zip(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    cms = answered(monkeypatch, {end: {"data": [{**NEWEST, "theme": "hospice-care"}, NEWEST]}})
    assert [row.day for row in cms._newest("2026-08")] == ["2026-08-26"]
    assert cms._newest("2026-01") == []


def test_without_a_current_zip_the_archives_still_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    cms = answered(monkeypatch, {"aggregate/theme/nursing-homes": {"data": [ROW]}})
    assert cms._newest("2026-08") == [] and len(cms.archives()) == 1


@pytest.mark.parametrize(("aides", "is_refused"), [("8.00", False), ("9.00", True)])
def test_of_two_files_for_a_quarter_with_one_date_equal_bytes_are_one_and_others_are_refused(
    site: Site, store: Store, aides: str, is_refused: bool
) -> None:
    for name, hours in (("a.csv", "8.00"), ("b.csv", aides)):
        site.quarter("pbj_daily", name, daily("2024Q2", "20240401", hours), "2024-04-01/2024-06-30")
    if is_refused:
        with pytest.raises(
            RefusedFile, match=r"a\.csv: the catalogue lists it and .*b\.csv for pbj_daily of 2024Q2 .* they differ"
        ):
            bring(site, store, "pbj_daily", "2024Q2")
    else:
        assert bring(site, store, "pbj_daily", "2024Q2") is not None


def test_a_file_whose_dates_are_no_quarter_is_missed_where_it_may_be_the_one(site: Site, store: Store) -> None:
    site.quarter("pbj_daily", "PBJ_CY2024Q2.csv", daily("2024Q2", "20240401"), "2024-04-01/2024-07-01")
    with pytest.raises(
        RefusedFile, match=r"PBJ_CY2024Q2\.csv.*without the dates of one quarter(.|\n)*--without pbj_daily:2024Q2"
    ):
        bring(site, store, "pbj_daily", "2024Q2")
    assert bring(site, store, "pbj_daily", "2024Q3") is None


def test_of_two_members_for_a_month_the_order_in_the_zip_never_decides(site: Site, store: Store) -> None:
    for names in ("ab", "ba"):
        files: dict[str, str | bytes] = {f"{name}.csv": providers(str(ord(name) - 96), "2026-07-01") for name in names}
        site.archive("2026-07-29", files)
        with pytest.raises(RefusedFile, match=r"provider_info of 2026-07, differ, and neither says which is the later"):
            bring(site, store, "provider_info", "2026-07")
        del site.content["archives"][-1]


def test_the_zip_of_december_is_a_second_vintage_of_november(site: Site, store: Store) -> None:
    """The zips named December 2022 and 2023 hold November's rows: the later one counts, and the other is told."""
    site.archive("2022-11-27", {"NH_ProviderInfo_Nov2022.csv": providers("4", "2022-11-01")})
    site.archive("2022-12-27", {"NH_ProviderInfo_Nov2022.csv": providers("5", "2022-11-01")})
    with site.source() as source:
        got = source.fetch("provider_info", "2022-11", store)
        assert got is not None and got.name == "nursing-homes_2022-12-27.zip"
        assert source.fetch("provider_info", "2022-12", store) is None
        later = "nursing-homes_2022-12-27.zip!NH_ProviderInfo_Nov2022.csv is the later file of provider_info 2022-11"
        assert f"nursing-homes_2022-11-27.zip!NH_ProviderInfo_Nov2022.csv: not used, {later}" in source.warnings


def test_what_an_older_recogniser_noted_is_looked_at_again(site: Site, store: Store) -> None:
    """A store in which the swing beds were taken for the homes' own file (C69) is put right by the next run."""
    swing = text("swing_bed", {"CMS Certification Number (CCN)": "01U001", "Measure Code": "S_042_02"}, whole="2026-07")
    own = text("snf_qrp", {"CMS Certification Number (CCN)": "015009", "Measure Code": "S_042_02"}, whole="2026-07")
    site.archive("2026-07-29", {"p.csv": providers("2", "2026-07-01"), "own.csv": own, "swing.csv": swing})
    got = bring(site, store, "snf_qrp", "2026-07")
    assert got is not None and got.member == "own.csv"
    note = Path(f"{store.blob_path(got.sha256)}.members.json")
    old = read_json(note)
    store.put_note(note, {"made_with": "an older program", "members": [{**old["members"][0], "table": "penalties"}]})
    store.set_supply(Supply(**{**got.__dict__, "member": "swing.csv"}))
    assert not still_is(Supply(**{**got.__dict__, "member": "swing.csv"}), store)
    again = bring(site, store, "snf_qrp", "2026-07")
    assert again is not None and again.member == "own.csv"
    assert read_json(note) == old
