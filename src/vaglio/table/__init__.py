"""From any source to a Table: typed columns with measurement levels and roles.

Only this folder imports pandas, polars and pyarrow. ``read`` infers types from the values by the rules written in
``_infer``; ``Table.from_any`` uses the dtypes alone.
"""

from vaglio.table._cell_format import CellFormat
from vaglio.table._chunks import read_chunks
from vaglio.table._column import KIND_WORDS, Column
from vaglio.table._column_names import by_column, folded, likeliest, matching_columns, note_matches
from vaglio.table._convert import (
    as_date,
    as_level,
    as_nominal,
    as_numeric,
    as_ordinal,
    as_text,
    as_whole,
    ordered_level,
)
from vaglio.table._frames import as_frame
from vaglio.table._infer import WORD_PAIRS, names_a_row, names_identifier
from vaglio.table._read import as_table, read
from vaglio.table._small import read_words, words_as_numbers
from vaglio.table._sparse import SparseBlock
from vaglio.table._table import Table
from vaglio.table._task import TASKS, TargetTask, decide_task
from vaglio.table._words import MISSING, NO_NUMBER, plain_word
from vaglio.table._write import TableWriter, write
from vaglio.table.readers.capacity import LIMITS, Limits
from vaglio.table.scanned import (
    ScannedColumn,
    ScannedResult,
    ScannedTable,
    scan,
)

__all__ = [
    "KIND_WORDS",
    "LIMITS",
    "MISSING",
    "NO_NUMBER",
    "TASKS",
    "WORD_PAIRS",
    "CellFormat",
    "Column",
    "Limits",
    "ScannedColumn",
    "ScannedResult",
    "ScannedTable",
    "SparseBlock",
    "Table",
    "TableWriter",
    "TargetTask",
    "as_date",
    "as_frame",
    "as_level",
    "as_nominal",
    "as_numeric",
    "as_ordinal",
    "as_table",
    "as_text",
    "as_whole",
    "by_column",
    "decide_task",
    "folded",
    "likeliest",
    "matching_columns",
    "names_a_row",
    "names_identifier",
    "note_matches",
    "ordered_level",
    "plain_word",
    "read",
    "read_chunks",
    "read_words",
    "scan",
    "words_as_numbers",
    "write",
]
