"""What each file and table looks like: the one description of every column."""

from schemas import care_compare, pbj
from schemas.base import TABLES, Column, Table, match_header, recognise

__all__ = ["TABLES", "Column", "Table", "care_compare", "match_header", "pbj", "recognise"]
