"""The source that a person names: `cms`, `sample`, or a folder."""

from __future__ import annotations

from pathlib import Path

from pipelines.errors import UsageError
from pipelines.periods import RULES
from pipelines.sources import Source
from pipelines.sources.cms import Cms
from pipelines.sources.folder import Folder
from pipelines.store import Store, expanded, fingerprint, whole_folder


def open_source(text: str, store: Store, release: str = "") -> Source:
    """The source of a name; of the made-up nation that of a release (default: the newest that is known).

    Raises UsageError, naming the three choices, for what is neither a name nor a folder.
    """
    if text == "cms":
        return Cms()
    if text == "sample":
        return _sample(store, release)
    folder = expanded(text)
    if folder.is_dir():
        return Folder(folder)
    raise UsageError(
        f'"{text}" is no source: give "cms" (download from CMS), "sample" (a made-up nation), or a folder that exists'
    )


def _sample(store: Store, release: str) -> Source:
    """The made-up nation of a release in the store, written first where it is not there or an older program wrote it."""
    import schemas
    from pipelines.sample import nation
    from pipelines.sample.catalogue import SampleSource
    from pipelines.sample.window import NEWEST

    folder = store.root / "sample" / (release or NEWEST)
    made_with = folder / "made_with.txt"
    written_by = (
        *sorted(Path(nation.__file__).parent.glob("*.py")),
        *sorted(Path(schemas.__file__).parent.glob("*.csv")),
        *sorted(RULES.glob("*.csv")),
    )
    program = fingerprint([f.read_text() for f in written_by])
    if not made_with.exists() or made_with.read_text() != program:
        with whole_folder(folder) as made:
            nation.write_nation(made, release=release or NEWEST)
            (made / made_with.name).write_text(program)
    return SampleSource(folder)
