"""What each file and table looks like: the one description of every column."""

from schemas import audit, care_compare, homes, inputs, inspections, pbj, quality, ratings, rules, staffing, surveys, turnover
from schemas.base import TABLES, Column, Table, match_header

__all__ = [
    "TABLES",
    "Column",
    "Table",
    "audit",
    "care_compare",
    "homes",
    "inputs",
    "inspections",
    "match_header",
    "pbj",
    "quality",
    "ratings",
    "rules",
    "staffing",
    "surveys",
    "turnover",
]
