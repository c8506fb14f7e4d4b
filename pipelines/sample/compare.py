"""Every Care Compare file of a month, and the theme zips that hold them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

from pipelines.sample import (
    averages,
    fire,
    form,
    measure_files,
    owners,
    purchasing,
    ranking,
    reporting,
    survey_files,
    vaccination,
)
from pipelines.sample.form import Row, zip_member
from pipelines.sample.measures import CLAIMS, MDS, OTHERS, QRP
from pipelines.sample.provider import Listing
from pipelines.sample.window import Window
from schemas.files import kinds

Tables = Mapping[str, Iterable[Row]]  # rows of a file by its kind
DICTIONARY = b"%PDF-1.4\n% the dictionary of a made-up nation\n%%EOF\n"


def provider_info(homes: list[Listing], processed: str, correct: bool = False) -> Iterator[Row]:
    """NH_ProviderInfo. `correct` gives the first home another telephone number, as a second posting of the month does."""
    for position, home in enumerate(homes):
        corrected = {"Telephone Number": "2025550100"} if correct and position == 0 else {}
        yield {**home.row, "Processing Date": processed, **corrected}


def intervals(homes: list[Listing], window: Window) -> Iterator[Row]:
    """NH_DataCollectionIntervals: staffing levels, turnover from the first day of Q1 to the last of Q4, and the measures' own periods."""

    def row(code: str, what: str, first: int, after: int) -> Row:
        begin, end = (f"{window.date(day):%m/%d/%Y}" for day in (window.starts[first], window.starts[after] - 1))
        return {
            "Measure Code": code,
            "Measure Description": what,
            "Data Collection Period From Date": begin,
            "Data Collection Period Through Date": end,
            "Processing Date": f"{window.release_day:%Y%m%d}",
        }

    yield row("STAFFING_LEVELS", "Staffing levels", window.level, window.level + 1)
    yield row("STAFFING_TURNOVER", "Staff turnover", 1, 5)
    rated = {code: one.file for home in homes[:1] for code, one in home.quality.measures.items()}
    also = {one.code: MDS for one in OTHERS if one.first <= window.release <= one.last}
    for code, file in sorted((rated | also).items()):
        if file != QRP:
            of_claims = file == CLAIMS
            yield row(code, measure_files.description(code, window.release), 1 if of_claims else 2, 5 if of_claims else 6)


def files(homes: list[Listing], window: Window) -> Tables:
    """Every file of the month, read here or not; homes that ProviderInfo lacks are in the other ones."""
    listed, release, month = [home for home in homes if home.listed], window.release, window.release_day.isoformat()
    as_of = f"{form.vaccinated_on(release):%m/%d/%Y}"
    found: dict[str, Iterable[Row]] = {
        "provider_info": provider_info(listed, month),
        "state_averages": averages.state_averages(listed, release, month),
        "collection_intervals": intervals(listed, window),
        "health_citations": survey_files.citations(homes, month),
        "survey_summary": survey_files.survey_summary(homes, release, month),
        "survey_dates": survey_files.survey_dates(homes, month),
        "penalties": survey_files.penalties(homes, month),
        "state_cut_points": ranking.cut_points(homes),
        "citation_descriptions": survey_files.citation_descriptions(),
        "qm_mds": measure_files.mds(homes, window, month),
        "qm_claims": measure_files.claims(homes, window, month),
        "snf_qrp": reporting.of_homes(homes, window),
        "snf_qrp_national": reporting.of_the_nation(listed, window),
        "swing_bed": reporting.of_swing_beds(listed, window),
        "fire_safety_citations": fire.fire_safety(homes, month),
        "ownership": owners.ownership(homes, month),
        "covid_vax_provider": vaccination.of_homes(listed, as_of),
        "covid_vax_averages": vaccination.of_states(listed, as_of),
        "snf_vbp_facility": purchasing.of_homes(listed, release),
        "snf_vbp_aggregate": purchasing.of_the_nation(listed, release),
    }
    return {kind: rows for kind, rows in found.items() if form.has(kind, release)}


def archive(path: Path, release: str, posted: date, tables: Tables, modified: date | None = None) -> None:
    """A theme zip in CMS's shape of the month: since July 2026 with a manifest and what a Mac leaves behind.

    `modified` is CMS's date of all members; without it each has the first day of the month that it stands for.
    """
    places = {form.place_of(kind, release, modified or form.month_of(kind, release)): kind for kind in tables}
    manifest = []
    with zipfile.ZipFile(path, "w") as packed:
        for place in sorted(places):
            kind = places[place]
            with packed.open(zip_member(place, posted), "w") as member:
                form.write(member, kind, release, tables[kind])
            day = (modified or form.month_of(kind, release)).isoformat()
            manifest.append(
                {
                    "name": f"{kinds()[kind].title} ({day})",
                    "dataset_id": kinds()[kind].dataset_id,
                    "type": "individual",
                    "modified_date": day,
                    "access_level": "public",
                    "private": False,
                    "resources": [{"filename": place, "filesize": packed.getinfo(place).file_size, "mime_type": "text/csv"}],
                }
            )
        folder = min(places).rpartition("/")[0]
        packed.writestr(zip_member(f"{folder}/NH_Data_Dictionary.pdf".lstrip("/"), posted), DICTIONARY)
        if release >= form.PREFIX_SINCE:
            packed.writestr(zip_member("manifest.json", posted), json.dumps(manifest, indent=2))
            packed.writestr(zip_member(f"__MACOSX/._{packed.namelist()[0]}", posted), b"\x00\x05\x16\x07")
