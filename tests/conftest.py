"""What tests share: the published sample nation, made once a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipelines.main_job import run_release
from pipelines.resources import Run

os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")
RELEASE = "2026-07"


@pytest.fixture(scope="session")
def sample_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the published sample nation at its default size, made by the main job through the local catalogue."""
    store = tmp_path_factory.mktemp("store")
    run_release(Run(data=str(store), source="sample"), RELEASE, print)
    return store
