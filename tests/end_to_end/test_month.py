"""A whole month as CMS ships it goes through, as a folder, as a zip and through the catalogue, and comes out by the rules of its day."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.periods import release
from pipelines.sample import nation
from pipelines.sample.catalogue import SampleSource
from pipelines.sample.form import has, member_name
from pipelines.sources import Source, archive
from pipelines.sources.folder import Folder
from pipelines.store import Store
from schemas.files import kinds, read_kinds
from tests.end_to_end.test_truth import against_truth

HOMES = 60
WHOLE = ("qm_rating", "long_stay_qm_rating", "short_stay_qm_rating")
KNOWN = {  # the quality ratings whose star thresholds the rule tables have
    "2022-07": WHOLE,
    "2023-01": (),
    "2023-06": (),
    "2024-04": (),
    "2024-10": (),
    "2025-02": WHOLE,
    "2025-07": WHOLE,
    "2026-02": WHOLE,
    "2026-08": ("qm_rating",),
}


@pytest.fixture(scope="module", params=list(KNOWN))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A month and the nation of it, made once for the three ways."""
    folder = tmp_path_factory.mktemp(request.param)
    nation.write_nation(folder, homes=HOMES, release=request.param)
    return request.param, folder


def as_folder(made: Path, target: Path) -> str:
    """Every file unpacked, as a person has them who opened CMS's zips."""
    for packed_as in sorted((made / "archives").iterdir()):
        with zipfile.ZipFile(packed_as) as packed:
            packed.extractall(target)
    shutil.copytree(made / "pbj", target / "pbj")
    return str(target)


def as_zip(made: Path, target: Path) -> str:
    """CMS's zips and PBJ files side by side."""
    for file in (*(made / "archives").iterdir(), *(made / "pbj").iterdir()):
        shutil.copy(file, target / file.name)
    return str(target)


WAYS: dict[str, Callable[[Path, Path], str]] = {"folder": as_folder, "zip": as_zip, "catalogue": lambda *_: "sample"}
RUN_AS = dict(zip(KNOWN, cycle(WAYS), strict=False))  # the other two ways give the same bytes, which a test proves


def contents(source: Source, month: str, store: Store) -> dict[tuple[str, str], str]:
    """A hash of what a source gives for each kind that is read, of the month and of the quarters of its release."""
    wanted = [(kind, month) for kind in read_kinds("release")]
    wanted += [(kind, quarter) for quarter in release(month).all_quarters for kind in read_kinds("quarter")]
    found = {}
    for kind, period in wanted:
        supply = source.fetch(kind, period, store)
        assert supply is not None, (kind, period)
        blob = store.blob(supply.sha256)
        with archive.open_member(blob, supply.member) if supply.member else blob.open("rb") as stream:
            found[kind, period] = archive.digest(stream)
    return found


def test_unpacked_zipped_and_from_the_catalogue_a_month_is_the_same(made: tuple[str, Path], tmp_path: Path) -> None:
    """The right file of each kind is found however the month comes."""
    month, files = made
    found = []
    for way in ("folder", "zip"):
        (tmp_path / way / "files").mkdir(parents=True)
        source = Folder(Path(WAYS[way](files, tmp_path / way / "files")))
        found.append(contents(source, month, Store(tmp_path / way / "store")))
    with SampleSource(files) as served:
        found.append(contents(served, month, Store(tmp_path / "store")))
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_a_month_as_shipped_goes_through(
    made: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 0; the right file of every kind that is read; the others named; stars only where CMS's thresholds are known."""
    month, files = made
    target = tmp_path / "files"
    target.mkdir()
    monkeypatch.setattr(nation, "write_nation", lambda made, release: shutil.copytree(files, made, dirs_exist_ok=True))
    source = WAYS[RUN_AS[month]](files, target)
    store = tmp_path / "store"
    assert main(["run", "--release", month, "--source", source, "--data", str(store)]) == 0
    told = capsys.readouterr().out
    for kind in read_kinds("release"):
        supply = Store(store).supply(kind, month)
        assert supply is not None, kind
        used = supply.member or supply.name
        assert used.endswith(member_name(kind, month))
        if month >= "2026-07":  # of two files the second posting counts
            assert (f"_{month}-01_" in used) == (kind not in ("provider_info", "state_averages")), used
    for kind in kinds().values():
        if kind.clock == "release" and not kind.is_read and has(kind.name, month):
            assert member_name(kind.name, month) in told, kind.name
    published = store / "published" / month
    checked, wrong = against_truth(published, files / "truth.csv")
    assert checked > 5_000 and not wrong, f"{len(wrong)} of {checked}:\n" + "\n".join(wrong[:40])
    con = duckdb.connect()
    for rating in WHOLE:
        query = f"select count(recomputed), count(agrees), count(*) filter (where agrees = 'no') from '{published}/replication.parquet'"
        recomputed, compared, contradicted = con.execute(f"{query} where item = ?", [rating]).fetchall()[0]
        assert (recomputed > 20, compared > 20, contradicted) == (rating in KNOWN[month], rating in KNOWN[month], 0), rating
    scores = f"select count(value) from '{published}/rating_components.parquet' where measure = 'overall_qm_score'"
    assert con.execute(scores).fetchall()[0][0] > 20
    if not KNOWN[month]:
        reasons = f"select distinct qm_reason from '{published}/ratings.parquet' where qm_rating is not null"
        assert con.execute(reasons).fetchall() == [("no_star_thresholds",)]
