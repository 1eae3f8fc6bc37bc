"""``python -m tools.cells FOLDER ...``: read every table of the folders, and name each cell that became something else.

``--judged FILE`` lists the differences that are right, each with its reason; the exit code is 1 if there are others.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import tomllib
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"})

from tools.cells.meaning import Difference, of_cells
from tools.cells.readings import for_a_model, in_parts
from tools.cells.text import TextTable, unpacked
from vaglio.errors import VaglioError
from vaglio.table import read

_SUFFIXES = (".csv", ".tsv", ".tab", ".csv.gz", ".csv.bz2", ".csv.xz")


def main() -> int:
    """Compare the files, and print what was found."""
    options = _options()
    warnings.simplefilter("ignore")
    paths = sorted(path for folder in options.folders for path in folder.rglob("*") if path.name.endswith(_SUFFIXES))
    judged = tomllib.loads(options.judged.read_text())["judged"] if options.judged else []
    cells: Counter[str] = Counter()
    tables: Counter[str] = Counter()
    open_ones = 0
    for path in paths[options.first :: options.step]:
        content = unpacked(path)
        if len(content) > options.largest:
            tables["too large"] += 1
            continue
        differences = list(differences_of(content, cells, tables))
        for difference in differences:
            why = next((each["why"] for each in judged if _applies(each, path, difference)), None)
            open_ones += why is None
            tables["judged" if why else "to judge"] += 1
            if why is None or options.all:
                print(f"{path.parent.name}/{path.name}: {_told(difference)}{f' [{why}]' if why else ''}", flush=True)
    print(f"{tables['read']:,} tables read, {cells.total():,} cells: {_listed(cells)}")
    print(f"Also: {_listed(tables)}")
    return 1 if open_ones else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.cells", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of delimited files, packed or not")
    parser.add_argument("--judged", type=Path, help="TOML file of differences that are right")
    parser.add_argument("--all", action="store_true", help="show the judged ones, too")
    parser.add_argument("--largest", type=int, default=1 << 22, help="leave out files of more bytes")
    parser.add_argument("--first", type=int, default=0, help="begin with this file")
    parser.add_argument("--step", type=int, default=1, help="try each n-th file")
    return parser.parse_args()


def differences_of(content: bytes, cells: Counter[str], tables: Counter[str]) -> Iterator[Difference]:
    """Compare one file in all ways; count its cells, and what became of it."""
    text = TextTable.of(content)
    try:
        whole = read(io.BytesIO(content))
    except VaglioError as error:
        # What is no table for Python's reader either is refused rightly.
        tables["no table" if not text.is_table else "refused"] += 1
        if text.is_table:
            yield Difference("refused", "", str(error)[:300], len(text.rows))
        return
    tables["read"] += 1
    if not text.of_one_width:
        tables["read, not rows of one length"] += 1
        yield Difference("other rows", "", f"{text.names[:5]} -> {[*whole.columns][:5]}", len(whole))
        return
    seen = text.as_read(whole.columns, len(whole))
    if seen is not text:
        tables["without names" if not seen.headed else "with several lines of names"] += 1
        yield Difference(f"{seen.headed} rows of names", "", f"{text.names[:6]}, {text.rows[0][:6]}", 1)
        names = [*whole.columns]
        seen = replace(seen, names=names)
    found = list(of_cells(whole, seen, cells))
    yield from found
    if any(each.what in ("names", "rows") for each in found):
        return
    for compare in (partial(in_parts, content, whole), partial(for_a_model, seen, whole)):
        try:
            yield from compare()
        except VaglioError as error:
            yield Difference("refused later", "", str(error)[:300], len(whole))
        except Exception:  # noqa: BLE001 - a foreign error is what is looked for
            yield Difference("foreign error", "", traceback.format_exc(limit=-3), len(whole))


def _applies(judgement: dict[str, Any], path: Path, difference: Difference) -> bool:
    wanted = {"files": f"{path.parent.name}/{path.name}", "columns": difference.column, "shown": difference.shown}
    said = difference.what in judgement.get("what", [difference.what])
    return said and all(
        any(fnmatch(value, pattern) for pattern in judgement.get(name, ["*"])) for name, value in wanted.items()
    )


def _told(difference: Difference) -> str:
    where = f" in {difference.column!r}" if difference.column else ""
    return f"{difference.what}{where} ({difference.n:,}): {difference.shown}"


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{n:,} {what}" for what, n in counted.most_common())


if __name__ == "__main__":
    sys.exit(main())
