"""JSON lines, arrays and objects."""

from __future__ import annotations

import io
import json

import pytest

from vaglio.errors import ReadError
from vaglio.table import read

from .frames import FRAME, check


@pytest.mark.parametrize("orient", ["lines", "array", "columns"])
def test_json_lines_arrays_and_columns_are_read(tmp_path, orient):
    rows = json.loads(FRAME.to_json(orient="records"))
    if orient == "lines":
        text = "\n".join(map(json.dumps, rows))
    elif orient == "array":
        text = json.dumps(rows, indent=1)
    else:
        text = json.dumps({name: [row[name] for row in rows] for name in rows[0]}, indent=1)
    path = tmp_path / "t.json"
    path.write_text(text)
    check(read(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}\n{"a": }\n', "line 2: not valid JSON"),
        ('{"a": 1}\n{"a": "x"}\n', "column 'a' mixes types: row 1 has a number"),
        ('{"a": 1}\n[2]\n', "line 2: .* is not a JSON object"),
        ('[{"a": 1},\n {"a"}]', "line 2: not valid JSON"),
        ("[]", "has no rows"),
    ],
)
def test_errors_in_json_name_the_line(text, said):
    with pytest.raises(ReadError, match=said):
        read(io.StringIO(text))
