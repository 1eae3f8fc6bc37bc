"""What was noticed while a table was read, gathered so that many columns make few sentences."""

from __future__ import annotations

from collections.abc import Iterable

from vaglio.messages.sentences import listed, plural
from vaglio.table._column import Column

# Cells that are quoted; the others are counted.
_QUOTED = 3


class Remarks:
    """Remarks about columns; those of one kind become one sentence."""

    def __init__(self) -> None:
        self._alone: list[str] = []
        self._taken: list[str] = []
        self._marks: dict[str, tuple[list[str], str]] = {}
        self._units: list[str] = []

    def add(self, *remarks: str) -> None:
        """Add sentences that stand for themselves."""
        self._alone += remarks

    def taken(self, column: str, words: dict[str, int]) -> None:
        """Note the words of a column that were taken for missing values."""
        self._taken += [f"{word!r} ({plural(count, 'cell')} of {column!r})" for word, count in words.items()]

    def marks(self, column: str, sentence: str, example: str) -> None:
        """Note how the marks in the numbers of a column were read."""
        self._marks.setdefault(sentence, ([], example))[0].append(column)

    def unit(self, column: str, unit: str) -> None:
        """Note the unit of a column."""
        self._units.append(f"{column!r} in {unit}")

    def unread(self, column: Column, what: str) -> None:
        """Name the cells of a column that are neither numbers (or dates, as `what` says) nor missing."""
        if column.unread is None:
            return
        rows = (~column.unread.missing).nonzero()[0]
        cells = column.unread.take(rows[:_QUOTED]).values
        shown = [f"{cell!r} in row {row + 1}" for cell, row in zip(cells, rows.tolist())]
        shown += [""] * (len(rows) - len(shown))
        one = len(rows) == 1
        self.add(
            f"column {column.name!r}: {plural(len(rows), 'cell')} {'is no ' + what if one else f'are no {what}s'} and "
            f"{'counts' if one else 'count'} as missing ({listed(shown, _QUOTED)}); correct {'it' if one else 'them'}, "
            f'or declare the column nominal (levels={{{column.name!r}: "nominal"}})'
        )

    def sentences(self) -> list[str]:
        """Return all remarks."""
        marks = [
            f"column{'s' if len(names) > 1 else ''} {listed(names, quoted=True)}: {sentence}{example}"
            for sentence, (names, example) in self._marks.items()
        ]
        units = [f"units were read with the numbers: {listed(self._units)}"] if self._units else []
        taken = [f"taken for missing values: {_joined(self._taken)}"] if self._taken else []
        return [*marks, *units, *taken, *self._alone]


def _joined(parts: Iterable[str]) -> str:
    return listed(parts, 8)
