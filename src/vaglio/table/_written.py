"""The cells of delimited text as they were written, and how text is written: to write rows again beside new columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from vaglio.messages.locale import Locale

__all__ = ["TextStyle", "Written"]


@dataclass(frozen=True)
class TextStyle:
    """How delimited text is written.

    Attributes
    ----------
    delimiter : str
    decimal : {".", ","}
        The decimal mark.
    encoding : str
    line_end : str
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    line_end: str = "\n"

    @classmethod
    def of_spreadsheet(cls, locale: Locale) -> TextStyle:
        """Return the style in which a spreadsheet program of this language shows columns and letters.

        Examples
        --------
        >>> from vaglio.messages.locale import Locale
        >>> TextStyle.of_spreadsheet(Locale("it"))
        TextStyle(delimiter=';', decimal=',', encoding='utf-8-sig', line_end='\\r\\n')
        """
        decimal = locale.marks(".")
        return cls(";" if decimal == "," else ",", decimal, "utf-8-sig", "\r\n")


@dataclass(frozen=True)
class Written:
    """The cells of some rows as they were written.

    Attributes
    ----------
    cells : pyarrow.Table
        Words.
    style : TextStyle
    names : tuple of str
        Of the columns, as the text has them.
    """

    cells: pa.Table
    style: TextStyle
    names: tuple[str, ...]

    def take(self, rows: Any) -> Written:
        """Return the cells of these rows.

        Parameters
        ----------
        rows : slice or array of int
        """
        if isinstance(rows, slice) and rows.step in (None, 1):
            start, stop, _ = rows.indices(self.cells.num_rows)
            return replace(self, cells=self.cells.slice(start, max(0, stop - start)))
        chosen = np.arange(self.cells.num_rows)[rows]
        return replace(self, cells=self.cells.take(pa.array(chosen, pa.int64())))

    @classmethod
    def joined(cls, parts: Sequence[Written | None]) -> Written | None:
        """Return the cells of parts that follow each other; None if those of a part are not known."""
        known = [part for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return None
        return replace(known[0], cells=pa.concat_tables([part.cells for part in known]))
