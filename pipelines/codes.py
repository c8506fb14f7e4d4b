"""CMS's codes as the rule tables know them: how a cell with one is read, and which of them nobody knows."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from pipelines.periods import RULES
from pipelines.quoting import literal

LISTS = "known_codes"  # the rule table that holds every list which no rule has a table for
BLANK = f"{LISTS}.blank"  # words that mean that a cell is blank
SEVERAL = r"\s*[,;/|]\s*|\s+"  # what stands between two codes of a cell


@dataclass(frozen=True)
class Codes:
    """The codes of one column: a pattern of CMS's own and of whole families, and other spellings, folded, of CMS's own."""

    pattern: str
    spelled: tuple[tuple[str, str], ...]

    def __contains__(self, text: str) -> bool:
        """Whether a text is a known code in any spelling."""
        return text.casefold() in dict(self.spelled) or bool(re.fullmatch(self.pattern, text))

    def read(self, text: str) -> str:
        """SQL that gives a text in CMS's own spelling where it is another spelling of a known code."""
        others = " ".join(f"when {literal(folded)} then {literal(code)}" for folded, code in self.spelled)
        return f"case lower({text}) {others} else {text} end" if others else text

    def knows(self, text: str) -> str:
        """SQL that is true for a code in CMS's own spelling, null where there is none."""
        return f"regexp_full_match({text}, {literal(self.pattern)})"


@cache
def known(*named: str) -> Codes:
    """The codes that rule tables know, each named as `footnotes.footnote` or, of the table of lists, `known_codes.state`.

    In a code `#` is any digit and `%` any text: such a code is a family.
    """
    rows = [row for name in named for row in _rows(name)]
    own = dict.fromkeys(code for code, stands_for in rows if not stands_for)
    spelled = {code.casefold(): stands_for or code for code, stands_for in rows if not {"#", "%"} & set(code)}
    patterns = [re.escape(code).replace(r"\#", "[0-9]").replace("%", ".+") for code in own]
    return Codes("|".join(patterns), tuple((folded, code) for folded, code in spelled.items() if folded != code))


@cache
def blank_pattern(more: str) -> str:
    """A pattern of the words that mean a blank cell, and of one that CMS writes for it in a column."""
    return "(?i)" + "|".join(
        re.escape(word) for word in dict.fromkeys([*(code for code, _ in _rows(BLANK)), *filter(None, [more])])
    )


def rule_tables(named: Iterable[str]) -> list[str]:
    """The rule tables that some lists of codes are in, with that of the words for blank."""
    return sorted({name.split(".")[0] for name in named} | {LISTS})


def _rows(name: str) -> list[tuple[str, str]]:
    table, column = name.split(".")
    with (RULES / f"{table}.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    if table != LISTS:
        return [(row[column], "") for row in rows if row[column]]
    return [(row["code"], row["stands_for"]) for row in rows if row["list_name"] == column]
