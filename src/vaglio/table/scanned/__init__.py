"""Tables that stay on disk: where the rows are, and how they are read in chunks."""

from vaglio.table._column import labels, numbers
from vaglio.table.scanned.group_keys import Keyed, group_folds, group_keys, group_split, refuse_few_groups
from vaglio.table.scanned.parts import FilePart, Reading, give_back_reading
from vaglio.table.scanned.row_shares import Change, RowShare
from vaglio.table.scanned.scanned_table import ScannedColumn, ScannedResult, ScannedTable, joined
from vaglio.table.scanned.scanning import bytes_in_memory, scan

__all__ = [
    "Change",
    "FilePart",
    "Keyed",
    "Reading",
    "RowShare",
    "ScannedColumn",
    "ScannedResult",
    "ScannedTable",
    "bytes_in_memory",
    "give_back_reading",
    "group_folds",
    "group_keys",
    "group_split",
    "joined",
    "labels",
    "numbers",
    "refuse_few_groups",
    "scan",
]
