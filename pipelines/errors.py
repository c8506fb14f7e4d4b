"""Errors that a person can act on: each says where, what was found, and what to do."""

from __future__ import annotations


class OpenstarsError(Exception):
    """The data were refused or are not there; the command ends with status 1."""


class RefusedFile(OpenstarsError):
    """A file cannot be used. Carries file, line, column and value where they are known."""

    def __init__(
        self, file: str, problem: str, *, line: int | None = None, column: str = "", value: str | None = None, todo: str = ""
    ):
        """`problem` says what is wrong, `todo` what to do about it."""
        self.file, self.line, self.column, self.value, self.todo = file, line, column, value, todo
        self.problem = problem
        where = file
        if line is not None:
            number = f"{line:,}".replace(",", " ")
            where += f", line {number}"
        if column:
            where += f", column {column}"
        found = f'"{value}" ' if value is not None else ""
        super().__init__(f"{where}: {found}{problem}." + (f"\n{todo}" if todo else ""))


class MissingInput(OpenstarsError):
    """A file that the work needs is neither stored nor offered by the source."""


class UsageError(Exception):
    """Wrong usage of the command; status 2."""
