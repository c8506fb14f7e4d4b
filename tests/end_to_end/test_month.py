"""A whole month as CMS ships it goes through, as a folder, as a zip and through the catalogue, and comes out by the rules of its day."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import duckdb
import pytest

from pipelines.cli import main
from pipelines.sample import nation
from pipelines.sample.form import has, member_name
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
    for archive in sorted((made / "archives").iterdir()):
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(target)
    shutil.copytree(made / "pbj", target / "pbj")
    return str(target)


def as_zip(made: Path, target: Path) -> str:
    """CMS's zips and PBJ files side by side."""
    for file in (*(made / "archives").iterdir(), *(made / "pbj").iterdir()):
        shutil.copy(file, target / file.name)
    return str(target)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["folder", "zip", "catalogue"])
def test_a_month_as_shipped_goes_through(
    way: str, made: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 0; the right file of every kind that is read; the others named; stars only where CMS's thresholds are known."""
    month, files = made
    target = tmp_path / "files"
    target.mkdir()
    monkeypatch.setattr(nation, "write_nation", lambda made, release: shutil.copytree(files, made, dirs_exist_ok=True))
    source = {"folder": as_folder, "zip": as_zip, "catalogue": lambda *_: "sample"}[way](files, target)
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
