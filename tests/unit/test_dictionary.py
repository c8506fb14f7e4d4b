"""The committed data dictionary is the one that the schemas give."""

from pipelines.dictionary import FILE, dictionary
from schemas import TABLES


def test_the_committed_dictionary_is_that_of_the_schemas() -> None:
    assert FILE.read_text(encoding="utf-8") == dictionary(), (
        "docs/data_dictionary.md is behind the schemas: rewrite it with .venv/bin/python -m pipelines.dictionary"
    )


def test_every_table_stands_in_it_once() -> None:
    lines = dictionary().splitlines()
    assert sorted(line.removeprefix("### ") for line in lines if line.startswith("### ")) == sorted(TABLES)
