"""What a table takes in memory, judged by its file."""

from __future__ import annotations

import os
from pathlib import Path

from vaglio.table.lazy.parts import open_parquet_file

# In memory a table takes about so many times the bytes of its file.
_TEXT, _PARQUET = 3, 2
_TEXT_FILES = (".csv", ".tsv", ".txt", ".jsonl")


def bytes_in_memory(source: str | os.PathLike[str]) -> int:
    """Return the bytes that a table takes in memory, about; 0 for what is no file, or one of an unusual name.

    Parameters
    ----------
    source : str or path-like
    """
    path = Path(source)
    if not path.is_file():
        return 0
    size = path.stat().st_size
    if path.suffix == ".parquet":
        metadata = open_parquet_file(str(path)).metadata
        return max(8 * int(metadata.num_rows) * int(metadata.num_columns), size) * _PARQUET
    return size * _TEXT if path.suffix in _TEXT_FILES else 0
