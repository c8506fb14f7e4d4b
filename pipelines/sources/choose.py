"""The source that a person names: `cms`, `sample`, or a folder."""

from __future__ import annotations

from pathlib import Path

from pipelines.errors import UsageError
from pipelines.sources import Source
from pipelines.sources.cms import Cms
from pipelines.sources.folder import Folder
from pipelines.store import Store


def open_source(text: str, store: Store) -> Source:
    """The source of a name. Raises UsageError, naming the three choices, for what is neither a name nor a folder."""
    if text == "cms":
        return Cms()
    if text == "sample":
        return _sample(store)
    if Path(text).is_dir():
        return Folder(Path(text))
    raise UsageError(
        f'"{text}" is no source: give "cms" (download from CMS), "sample" (a made-up nation), or a folder that exists'
    )


def _sample(store: Store) -> Source:
    """The made-up nation of the store, written first where it is not there."""
    from pipelines.sample.catalogue import SampleSource

    folder = store.root / "sample"
    if not (folder / "catalogue.json").exists():
        from pipelines.sample.nation import write_nation

        with store.making(folder) as made:
            write_nation(made)
    return SampleSource(folder)
