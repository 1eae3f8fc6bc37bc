"""Read a sheet, in this process or in one of its own.

The formats before xlsx, xlsb and ods say in a few bytes that a sheet has billions of cells, and calamine then asks for
all of them at once, which ends the process. A process of its own ends alone.
"""

from __future__ import annotations

import datetime
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaglio.table.readers.capacity import Limits

# Address space of Python and its libraries, before anything is read.
_BASE = 1 << 29
_DATES: dict[str, Any] = {
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda seconds: datetime.timedelta(seconds=seconds),
}


class NoSheet(Exception):
    """There is no such sheet; the arguments are the sheets there are."""


def rows_of(file: Any, sheet: str | int) -> list[list[Any]]:
    """Return the rows of a sheet, without the empty rows and columns before the first cell.

    Parameters
    ----------
    file : binary file
    sheet : str or int
        Name or position.
    """
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_filelike(file)
    sheets = book.sheet_names
    if isinstance(sheet, int) and -len(sheets) <= sheet < len(sheets):
        found = book.get_sheet_by_index(sheet % len(sheets))
    elif sheet in sheets:
        found = book.get_sheet_by_name(str(sheet))
    else:
        raise NoSheet(*sheets)
    rows: list[list[Any]] = found.to_python(skip_empty_area=True)
    return rows


def rows_by_child(data: bytes, name: str, sheet: str | int, limits: Limits) -> list[list[Any]]:
    """Return the rows of a sheet, read by another process that may use no more memory than the limit.

    Parameters
    ----------
    data : bytes
        The file.
    name : str
        Its name, for errors.
    sheet : str or int
        Name or position.
    limits : Limits
        The limit of bytes is that of the process.
    """
    import python_calamine

    library = str(Path(python_calamine.__file__).parents[1])
    # -I: nothing in the folder of the user can stand in for a module.
    command = [sys.executable, "-I", __file__, library, str(limits.bytes), json.dumps(sheet)]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    try:
        answer = json.loads(done.stdout, object_hook=_dates)
    except ValueError:
        from vaglio.messages.message import text  # not above: this file is also a program of its own

        found = text("{name} is damaged, or needs more memory to be unpacked", name=name)
        limits.refuse("bytes", found, 2 * limits.bytes)
    if "sheets" in answer:
        raise NoSheet(*answer["sheets"])
    if "error" in answer:
        raise OSError(answer["error"])
    rows: list[list[Any]] = answer["rows"]
    return rows


def _dates(entry: dict[str, Any]) -> Any:
    for kind, value in entry.items():
        if kind in _DATES:
            return _DATES[kind](value)
    return entry


def _plain(value: Any) -> dict[str, Any]:
    seconds = value.total_seconds() if isinstance(value, datetime.timedelta) else value.isoformat()
    return {type(value).__name__: seconds}


def _main(library: str, memory: str, sheet: str) -> None:
    sys.path.append(library)
    import python_calamine

    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = int(memory) + _BASE
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most < 0 else min(wanted, most), most))
    except ImportError:  # not on Windows
        pass
    try:
        answer: dict[str, Any] = {"rows": rows_of(io.BytesIO(sys.stdin.buffer.read()), json.loads(sheet))}
    except NoSheet as refusal:
        answer = {"sheets": refusal.args}
    except (python_calamine.CalamineError, OSError) as error:
        answer = {"error": str(error)}
    sys.stdout.write(json.dumps(answer, default=_plain))


if __name__ == "__main__":
    _main(*sys.argv[1:])
