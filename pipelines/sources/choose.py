"""The source that a person names: `cms`, `sample`, or a folder."""

from __future__ import annotations

from pathlib import Path

from pipelines.errors import UsageError
from pipelines.periods import RULES
from pipelines.sources import Source
from pipelines.sources.cms import Cms
from pipelines.sources.folder import Folder
from pipelines.store import Store, expanded, fingerprint, whole_folder


def open_source(text: str, store: Store) -> Source:
    """The source of a name. Raises UsageError, naming the three choices, for what is neither a name nor a folder."""
    if text == "cms":
        return Cms()
    if text == "sample":
        return _sample(store)
    folder = expanded(text)
    if folder.is_dir():
        return Folder(folder)
    raise UsageError(
        f'"{text}" is no source: give "cms" (download from CMS), "sample" (a made-up nation), or a folder that exists'
    )


def _sample(store: Store) -> Source:
    """The made-up nation of the store, written first where it is not there or an older program wrote it."""
    from pipelines.sample import nation
    from pipelines.sample.catalogue import SampleSource

    folder = store.root / "sample"
    made_with = folder / "made_with.txt"
    program = fingerprint(
        [f.read_text() for f in (*sorted(Path(nation.__file__).parent.glob("*.py")), *sorted(RULES.glob("*.csv")))]
    )
    if not made_with.exists() or made_with.read_text() != program:
        with whole_folder(folder) as made:
            nation.write_nation(made)
            (made / made_with.name).write_text(program)
    return SampleSource(folder)
