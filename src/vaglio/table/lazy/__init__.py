"""Tables that stay on disk: where the rows are, and how they are read in chunks."""

from vaglio.table._column import labels, numbers
from vaglio.table.lazy.lazy_table import LazyColumn, LazyTable, joined
from vaglio.table.lazy.outside import LazyResult, is_dask, is_outside_memory
from vaglio.table.lazy.parts import Part, Reading, give_back_reading
from vaglio.table.lazy.row_shares import Change, RowShare
from vaglio.table.lazy.scanning import scan

__all__ = [
    "Change",
    "LazyColumn",
    "LazyResult",
    "LazyTable",
    "Part",
    "Reading",
    "RowShare",
    "give_back_reading",
    "is_dask",
    "is_outside_memory",
    "joined",
    "labels",
    "numbers",
    "scan",
]
