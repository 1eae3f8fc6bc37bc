"""The function `scan`: files that stay on disk, as one table."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vaglio.errors import DataWarning, InputError, ReadError, warn
from vaglio.messages.options import reading
from vaglio.messages.sentences import clip, listed
from vaglio.runtime.arguments import checked
from vaglio.table._cell_format import CellFormat
from vaglio.table._chunks import read_chunks
from vaglio.table._column import Column
from vaglio.table._column_names import renamed
from vaglio.table._convert import ordered_level
from vaglio.table._read import check_decimal
from vaglio.table._table import Table
from vaglio.table._words import MISSING
from vaglio.table.readers.source import Source, extension_of, recognise
from vaglio.table.scanned.parts import FilePart, Reading, kind_of_type, open_parquet_file, stamp_of, with_levels
from vaglio.table.scanned.scanned_table import CHUNK_ROWS, ScannedTable

_HEAD = 1 << 16
# In memory a table takes about so many times the bytes of its file.
_TEXT, _PARQUET = 3, 2
_TEXT_FILES = (".csv", ".tsv", ".txt", ".jsonl")
# The kind of a column of a level; all others have categories.
_KIND_OF = {"numeric": "numeric", "interval": "numeric", "ratio": "numeric", "date": "date"}
# Row groups up to this many rows together are one part: a task of their own would cost more than it does.
PART_ROWS = 1 << 20


@checked
def scan(
    source: Any,
    *,
    part_rows: int = PART_ROWS,
    missing: Sequence[str] = MISSING,
    header: bool | None = None,
    footer: bool | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    dayfirst: bool | None = None,
    levels: Mapping[str, str | Sequence[Any]] | None = None,
    rename: Mapping[str, str] | None = None,
) -> ScannedTable:
    """Return a table whose rows stay on disk; learners read them chunk by chunk.

    Files come in the order of their names, rows in the order of their file. The columns of the first file count: a
    file without one of them, or with another type, is an error; further columns are ignored. Types are those of the
    schema of Parquet: words, truth values and categories are nominal, dates are dates, all else is numeric. Text is
    typed by the rules of :func:`vaglio.read` on the first 65536 rows of the first file, free text being nominal; no
    column is left out.

    Parameters
    ----------
    source : path, list of paths, or pyarrow.dataset.Dataset
        A Parquet, CSV or JSON lines file, a folder (its files, also in folders below, hidden ones left out), or a
        pattern such as ``"flights/*.parquet"``. A dataset is one of local files without a filter.
    part_rows : int, default=1048576
        Row groups of a Parquet file are joined to parts of at most so many rows.
    missing, header, footer, delimiter, decimal, encoding, dayfirst : optional
        How text is read, as in :func:`vaglio.read`.
    levels : mapping, optional
        Column -> "nominal", "numeric", "interval", "ratio", "date", "asymmetric", or the list of its values in order,
        which makes it ordinal; as in :func:`vaglio.read`.
    rename : mapping, optional
        Name of a column in the files -> its new name, which `levels` use.

    Returns
    -------
    ScannedTable

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from vaglio import scan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for at in "ba":
    ...         _ = (pathlib.Path(folder) / f"{at}.csv").write_text(f"file,n\\n{at},1\\n")
    ...     scan(folder).read()["file"].tolist()
    ['a', 'b']
    """
    check_decimal(decimal)
    told = {"header": header, "footer": footer, "delimiter": delimiter, "decimal": decimal}
    told |= {"encoding": encoding, "dayfirst": dayfirst}
    options: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    if tuple(missing) != tuple(MISSING):
        options["missing"] = tuple(missing)
    if part_rows < 1:
        raise InputError("part-without-rows", "A part must have at least one row, not {rows}.", rows=part_rows)
    data = _declared(_scanned(_files(source), part_rows, options, dict(rename or {})), levels or {})
    # A dataset may have fewer columns than its files.
    return data.select(renamed(source.schema.names, rename)) if _is_dataset(source) else data


def _scanned(files: list[str], part_rows: int, options: dict[str, Any], rename: dict[str, str]) -> ScannedTable:
    parquet = _is_parquet(files[0])
    named: dict[str, Any] = {"rename": rename} if rename else {}
    if not parquet:
        how = tuple({**options, **named}.items())
        return ScannedTable(
            tuple(FilePart(path, "text", options=how, stamp=stamp_of(path)) for path in files),
            _text_reading(files[0], dict(how)),
        )
    if options:
        raise InputError(
            "text-options-for-parquet",
            "{options} {n:applies|apply} to text files, but {path} is Parquet.",
            n=len(options),
            options=listed(map(reading, options)),
            path=files[0],
        )
    parts = [replace(part, options=tuple(named.items())) for path in files for part in _groups(path, part_rows)]
    return ScannedTable(tuple(parts), _parquet_reading(files[0], rename))


def _declared(data: ScannedTable, levels: Mapping[str, str | Sequence[Any]]) -> ScannedTable:
    """Return the table with the levels that were declared: text is read as these say, Parquet is converted."""
    if not levels:
        return data
    levels = {name: ordered_level(level) for name, level in levels.items()}
    for name, level in ((data[name].name, level) for name, level in levels.items()):
        if level in ("ordinal", "text"):
            if level == "ordinal":
                raise InputError(
                    "order-unknown-in-scan",
                    "Column {column!r} cannot be ordinal in a table read in chunks unless its values are listed. List "
                    "them from lowest to highest.",
                    column=name,
                )
            raise InputError(
                "text-in-scan",
                "Column {column!r} cannot be text in a table read in chunks. Free text must fit in memory.",
                column=name,
            )
        with_levels(Table([Column.numeric(name, np.empty(0))]), {name: level})  # fails if there is no such level
    told = tuple((name, level if isinstance(level, str) else tuple(level)) for name, level in levels.items())
    kinds = {name: _KIND_OF.get(str(level), "nominal") for name, level in told}
    columns = tuple((name, _of_kind(cell_format, kinds.get(name))) for name, cell_format in data.reading.columns)
    return ScannedTable(tuple(replace(part, levels=told) for part in data.parts), Reading(columns))


def _of_kind(cell_format: CellFormat, kind: str | None) -> CellFormat:
    """Return how a column is read that was declared to be of a kind; what its first rows show counts for that kind."""
    if kind in (None, cell_format.kind):
        return cell_format
    return CellFormat(str(kind), missing=cell_format.missing, provisional=cell_format.provisional)


def _files(source: Any) -> list[str]:
    if _is_dataset(source):
        _refuse_other_datasets(source)
        found = list(source.files)
    elif isinstance(source, (list, tuple, set, frozenset, Iterator)):
        found = [str(path) for path in source]
    elif not isinstance(source, (str, os.PathLike)) or "\0" in os.fspath(source):
        raise ReadError(
            "source-not-scannable",
            "{source} ({type}) cannot be scanned. Give a file, a folder, a pattern such as *.csv or a list of files.",
            source=clip(repr(source)),
            type=type(source).__name__,
        )
    else:
        path = Path(source)
        if path.is_dir():
            inside = [each.relative_to(path) for each in path.rglob("*") if each.is_file()]
            _note_named_folders(path, inside)
            found = [str(path / each) for each in inside if not any(name[0] in "._" for name in each.parts)]
        else:
            found = [str(path)] if path.exists() else [each for each in glob.glob(str(source)) if Path(each).is_file()]
    if not found:
        raise ReadError(
            "no-file-to-scan",
            "There is no file {source}, and no file matches it. Give a file, a folder or a pattern such as *.csv.",
            source=source,
        )
    return sorted(found)


def _is_dataset(source: object) -> bool:
    return hasattr(source, "get_fragments") and hasattr(source, "schema")


def _refuse_other_datasets(source: Any) -> None:
    """Refuse an Arrow dataset that is more, or less, than the rows of its files."""
    from pyarrow.dataset import get_partition_keys

    if not hasattr(source, "files") or source.filesystem.type_name != "local":
        raise InputError(
            "dataset-not-local",
            "A {type} without local files cannot be scanned. Give its files, or train on dataset.to_table().",
            type=type(source).__name__,
        )
    if source._scan_options:
        raise InputError(
            "dataset-with-filter",
            "The dataset has a filter, which scan does not apply. Write its rows to a file first.",
        )
    if any(get_partition_keys(each.partition_expression) for each in source.get_fragments()):
        raise InputError(
            "dataset-with-partitions",
            "The dataset takes columns from folder names, which scan does not read. Write them into the files.",
        )


def _note_named_folders(path: Path, inside: list[Path]) -> None:
    named = sorted({name.partition("=")[0] for each in inside for name in each.parent.parts if "=" in name})
    if named:
        warn(
            DataWarning(
                "columns-in-folder-names",
                "{path}: folder names give {columns}, which vaglio does not read as {n:a column|columns}. Write "
                "{n:it|them} into the files to learn from {n:it|them}.",
                path=path,
                n=len(named),
                columns=listed(named, quoted=True),
            )
        )


def _is_parquet(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise ReadError(
            "unreadable-file", "{path} cannot be read ({reason}).", path=path, reason=error.strerror or str(error)
        ) from None
    return recognise(Source(path, head, extension_of(Path(path)))) == "parquet"


def _groups(path: str, most: int) -> list[FilePart]:
    """Return the row groups of a file as parts of at most so many rows, if more than one group."""
    metadata, stamp = open_parquet_file(path).metadata, stamp_of(path)
    parts: list[FilePart] = []
    groups: list[int] = []
    rows = 0
    for group in range(metadata.num_row_groups):
        more = metadata.row_group(group).num_rows
        if groups and rows + more > most:
            parts.append(FilePart(path, "parquet", tuple(groups), rows, stamp=stamp))
            groups, rows = [], 0
        groups.append(group)
        rows += more
    return [*parts, FilePart(path, "parquet", tuple(groups), rows, stamp=stamp)]


def _parquet_reading(path: str, rename: dict[str, str]) -> Reading:
    schema = open_parquet_file(path).schema_arrow
    named = zip(renamed(schema.names, rename), schema)
    kinds = {name: kind_of_type(field.name, field.type, path) for name, field in named}
    # A column that pandas keeps its index in is no column of the table.
    columns = {name: kind for name, kind in kinds.items() if not name.startswith("__index_level_")}
    if not columns:
        raise ReadError("file-without-columns", "{path} has no columns.", path=path)
    return Reading(tuple((name, CellFormat("numeric" if kind == "any" else kind)) for name, kind in columns.items()))


def _text_reading(path: str, options: dict[str, Any]) -> Reading:
    first = next(read_chunks(path, CHUNK_ROWS, **options))
    known = [(name, CellFormat.of(first.column(name))) for name in first.columns]
    # Free text is kept in memory only, and an order must be declared.
    return Reading(
        tuple((name, replace(each, kind=_KIND_OF.get(each.kind, "nominal"), provisional=True)) for name, each in known)
    )


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
