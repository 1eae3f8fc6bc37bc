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
        ('{"a": 1}\n{"a": }\n', "line 2 is not valid JSON"),
        ('{"a": 1}\n{"a": "x"}\n', "Column 'a' mixes types: row 1 has a number"),
        ('{"a": 1}\n[2]\n', "line 2: .* is not a JSON object"),
        ('[{"a": 1},\n {"a"}]', "line 2: not valid JSON"),
        ("[]", "has no rows"),
    ],
)
def test_errors_in_json_name_the_line(text, said):
    with pytest.raises(ReadError, match=said):
        read(io.StringIO(text))


def nested(depth: int, opening: str = '{"a":', closing: str = "}") -> str:
    return opening * depth + "1" + closing * depth


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (nested(30_000), "nests brackets deeper"),
        (nested(30_000, "[", "]"), "nests brackets deeper"),
        ("[" * 200_000, "nests brackets deeper"),
        ('{"a": 1}\n' + nested(30_000) + "\n", "nests brackets deeper"),
        ('{"a":\n' * 30_000, "nests brackets deeper"),
        ('{"a": 1}\n' * 65_536 + "null\n", "line 65,537: null is not a JSON object"),
        ('{"a": 1}\n' * 3 + "null\n", "line 4: null is not a JSON object"),
        ('{"a": 1}\n{"a": 1} null {"a": 2}\n', "line 2 is not valid JSON"),
        ('{"a": 1}\n"}{"\n', "line 2: .* is not a JSON object"),
        ("null\n", "line 1: null is not a JSON object"),
        ('{"a": 1}\n{"a": [1]}\n', r"line 2: Column 'a' holds \[1\], which a table cell cannot hold"),
        ('[{"a": 1}, {"a": {"b": 2}}]', "Column 'a' holds .* which a table cell cannot hold"),
        ("[1" + "0" * 5000 + "]", "a number of 5,001 digits, more than the limit digits = 4,300"),
        ('{"a": 1' + "0" * 5000 + "}\n", "digits = 4,300"),
        ('[{"a": 1' + "0" * 400 + "}]", "too large for float64"),
        ('[{"a": "\\ud800"}]', "not valid Unicode text"),
        ('[{"\\ud800": 1}]', "not valid Unicode text"),
        ('{"a": "\\ud800"}\n', "cannot be read|not valid"),
        ('[{"a": 1}', "not valid JSON"),
        ('[{"a": 1}, 2]', "list has no rows"),
        ("{}\n{}\n", "has no rows with a value"),
    ],
)
def test_json_that_would_crash_or_confuse_a_parser_is_refused(text, said):
    with pytest.raises(ReadError, match=said):
        read(io.StringIO(text), format="json")


def test_brackets_in_words_do_not_nest():
    words = ["[" * 500, '\\"{' * 500, '"' + "[" * 200]
    lines = "".join(json.dumps({"a": word}) + "\n" for word in words)
    assert read(io.StringIO(lines))["a"].tolist() == words
    assert read(io.StringIO(json.dumps([{"a": word} for word in words])))["a"].tolist() == words


def test_lines_with_other_keys_or_another_order_are_read():
    rows = [{"a": 1, "b": "x"}, {"b": "y", "a": 2}, {"a": 3}, {"c": 1.5}, {}, {"a": 4, "b": None, "c": 2}]
    text = "\n\n".join(json.dumps(row) for row in rows * 50)
    table = read(io.StringIO(text))
    assert len(table) == 300
    assert table.columns == ("a", "b", "c")
    assert table["b"].tolist()[:6] == ["x", "y", None, None, None, None]
    assert table.column("c").n_missing == 200


def test_whole_numbers_beyond_64_bits_become_floats():
    for text in (f'[{{"a": {2**70}}}, {{"a": 1}}, {{"a": 1.5}}]', f'{{"a": [{2**70}, 1, {2**60}]}}'):
        assert read(io.StringIO(text))["a"][0] == 2.0**70


def test_a_row_longer_than_a_block_is_read():
    rows = [{"a": 1, "b": "x"}] * 3 + [{"a": 2, "b": "y" * 3_000_000}] + [{"a": 3, "b": "z"}] * 3
    table = read(io.StringIO("".join(json.dumps(row) + "\n" for row in rows)))
    assert table["a"].tolist() == [1, 1, 1, 2, 3, 3, 3]
