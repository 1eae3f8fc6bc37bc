"""``--out FILE``: results in files, in the form that the suffix names, whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from vaglio.cli._session import UsageError, to_json
from vaglio.runtime.files import check_writable, write_whole

__all__ = ["FIGURES", "Outputs", "as_csv", "as_figure", "as_json", "as_page"]

# What matplotlib draws for us.
FIGURES = (".svg", ".png", ".pdf")

Writer = Callable[[], str | bytes]


class Outputs:
    """The files a command is asked to write; wrong suffixes and places are refused before the work begins.

    Parameters
    ----------
    paths : sequence of Path or None
    suffixes : sequence of str
        What the command can write, the usual one first.
    """

    def __init__(self, paths: Sequence[Path] | None, suffixes: Sequence[str]) -> None:
        self.paths = list(paths or [])
        for path in self.paths:
            if path.suffix.lower() not in suffixes:
                raise UsageError(f"--out {path}: the suffix says what is written; here it is {', '.join(suffixes)}.")
            check_writable(path)

    def having(self, *suffixes: str) -> list[Path]:
        """The files with one of these suffixes."""
        return [path for path in self.paths if path.suffix.lower() in suffixes]

    def write(self, writers: Mapping[str, Writer]) -> list[str]:
        """Write every file whose suffix is among the writers; say where the results are."""
        chosen = [path for path in self.paths if path.suffix.lower() in writers]
        for path in chosen:
            write_whole(path, writers[path.suffix.lower()]())
        return [f"The result is in {' and '.join(map(str, chosen))}."] if chosen else []

    def to_data(self) -> dict[str, Any]:
        """For ``--json``: where the files are."""
        return {"out": [str(path) for path in self.paths]} if self.paths else {}


def as_json(data: Callable[[], Any]) -> Writer:
    """Plain data as JSON."""
    return lambda: to_json(data())


def as_csv(rows: Callable[[], Sequence[Mapping[str, Any]]]) -> Writer:
    """Rows as CSV, with every column that any of them has."""

    def write() -> str:
        text = io.StringIO()
        lines = rows()
        names = list(dict.fromkeys(name for row in lines for name in row))
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        return text.getvalue()

    return write


def as_page(title: str, body: Callable[[], str]) -> Writer:
    """A fragment of HTML as a page of its own."""

    def write() -> str:
        from vaglio.plot.page import html_page

        return html_page(title, body())

    return write


def as_figure(draw: Callable[[], Any]) -> dict[str, Writer]:
    """A matplotlib figure in each format it can be saved in."""

    def writer(format: str) -> Writer:
        def write() -> bytes:
            from vaglio.plot.page import figure_bytes

            return figure_bytes(draw(), format)

        return write

    return {suffix: writer(suffix[1:]) for suffix in FIGURES}
