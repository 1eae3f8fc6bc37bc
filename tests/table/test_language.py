"""Every sentence about a table comes from the catalogue: the pseudo-language changes it, and Italian has it.

The pseudo-language changes the vowels and some other letters of a template, and no value. Names and cells here have
none of these letters, so that a letter that is left was written around the catalogue; names of options and types are
allowed.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from babel.messages.pofile import read_po
from tools.messages import LOCALE, PACKAGE, _has_words, errors, in_python

from vaglio.errors import VaglioError
from vaglio.messages.locale import PSEUDO, Locale
from vaglio.table import Table, read, read_chunks, scan
from vaglio.table._table import to_html, to_text

_LEFT = re.compile("[aceinosuyACEINOSUY]+")
_AREAS = ("table", "encode", "datasets", "runtime", "engines", "fitted", "model", "messages")


def left_in_english(told: str, allowed: str = "") -> list[str]:
    """Return what the pseudo-language leaves of a message as it was, without the allowed words."""
    shown = Locale(PSEUDO).text(told)
    for word in allowed.split():
        shown = shown.replace(word, "")
    return _LEFT.findall(shown)


def _remarkable() -> str:
    """Return a file of which there is much to say."""
    rows = [
        f"{at + 1};{10115 + at % 3};{'tfF'[at % 3]};{1 + at % 9}.{at:03},5;{at} kg;{'-' if at == 3 else at};"
        f"{'bb' if at == 5 else 7 * at};{'0' + str(1 + at % 9)}/0{1 + at % 7}/2024;;wd pq rt {at} bb;"
        f"{at % 9 + 1}.{at + 100}"
        for at in range(60)
    ]
    names = "k;plz;tf;m;w;g;b;d;p;t;q"
    return "\n".join(["tt pp dd", names, *rows, "tt bb dd pp ww"]) + "\n"


def test_remarks_are_in_the_language_of_the_reader():
    remarks = read(io.StringIO(_remarkable())).remarks
    codes = {remark.code for remark in remarks}
    assert codes >= {
        "lines-above-names",
        "lines-below-table",
        "marks-read",
        "units-read",
        "words-taken-for-missing",
        "cells-not-numbers",
        "day-and-month-decided",
        "empty-column-ignored",
        "identifier-left-out",
        "codes-read-as-nominal",
        "several-spellings",
        "free-text",
    }
    for remark in remarks:
        assert not left_in_english(remark, "levels nominal roles input dayfirst footer False"), remark
        assert str(remark)[0].isupper() or str(remark)[0].isdigit()
        assert str(remark).endswith(".")


def test_a_table_on_screen_is_in_the_language_of_the_reader():
    table = Table.from_any({"k": [1.25, None, 3.0], "b": ["x", "x", "z"]})
    data = "numeric ratio continuous input nominal binary"
    for shown in (to_text(table, PSEUDO), re.sub("<[^>]*>", " ", to_html(table, PSEUDO))):
        assert _LEFT.findall(re.sub("|".join(data.split()), "", shown)) == []
    assert "33,3\u00a0%" in to_text(table, "it")
    assert "1,25" in to_text(table, "it")
    assert to_text(table) == repr(table)


def _csv(text: str, **options):
    return lambda: read(io.StringIO(text), **options)


@pytest.mark.parametrize(
    ("fails", "allowed"),
    [
        (_csv("k,b\n1,2\n3\n"), "delimiter"),
        (_csv("k,k\n1,2\n"), ""),
        (_csv("k,b\n"), ""),
        (_csv(""), ""),
        (_csv("k;b\n1,5;x\n", decimal=";"), "decimal"),
        (_csv("k,b\n1,x\n", format="z"), "format csv parquet feather json arff excel"),
        (_csv("k,b\n1,x\n", encoding="zz"), "Python utf latin cp"),
        (_csv("k,b\n1,x\n", delimiter="zz"), "delimiter ASCII"),
        (_csv("k,b\n1,x\n", limits={"cells": 1}), "cells limits"),
        (_csv("k,b\n1,x\n", levels={"b": "numeric"}), "missing levels nominal"),
        (_csv("k,b\n1,x\n", levels={"b": "ordinal"}), "levels"),
        (_csv("k,b\n1,x\n", levels={"b": ["z"]}), ""),
        (_csv("k,b\n1,x\n", levels={"b": "date"}), "dayfirst YYYY"),
        (_csv("k,b\n1,x\n", target="zz"), ""),
        (_csv('{"k": 1}\n{"k": }\n'), "JSON Expecting value"),
        (_csv('{"k": 1}\n{"k": [1]}\n'), ""),
        (_csv("@attribute k numeric\n@data\nz\n"), ""),
        (_csv("@attribute k {x,z}\n@data\nb\n"), ""),
        (lambda: read(io.BytesIO(b"%PDF-1")), "PDF CSV Parquet"),
        (lambda: read("/tt/zz.fw"), ""),
        (lambda: Table.from_any({"k": [1, "x"]}), ""),
        (lambda: Table.from_any(np.arange(3)), ""),
        (lambda: Table.from_any({"k": [1, 2], "b": [1]}), ""),
        (lambda: Table.from_any({"k": [1.0, float("inf")]}), ""),
        (
            lambda: read(pd.DataFrame({"k": [0.5, 1.5], "b": [1, 2]})).xy("k", task="classification"),
            "levels nominal task regression",
        ),
        (lambda: list(read_chunks(io.BytesIO(b"k,b\nzz,x\n"), like=[("k", "numeric"), ("b", "nominal")])), "missing"),
        (lambda: scan("/tt/zz.fw"), "csv"),
    ],
)
def test_errors_are_in_the_language_of_the_reader(fails, allowed):
    with pytest.raises(VaglioError) as caught:
        fails()
    message = caught.value.message
    assert message.code
    assert not left_in_english(message, allowed), Locale(PSEUDO).text(message)
    assert Locale("it").text(message) != str(message)
    json.dumps(message.as_data())


@pytest.mark.parametrize(
    ("fails", "option"),
    [
        (_csv("k,b\n1,x\n", levels={"b": "numeric"}), "--missing x"),
        (_csv("k,b\n1,x\n", levels={"b": "numeric"}), "--nominal b"),
        (_csv("k,b\n1,x\n2,z\n", levels={"b": "ordinal"}), "--levels 'b=x<z'"),
        (_csv("k,b\n1,x\n", limits={"cells": 1}), "--read limit_cells=6"),
        (_csv("k,b\n1,2\n3\n"), "--read delimiter=…"),
        (
            lambda: read(pd.DataFrame({"k k": [0.5, 1.5], "b": [1, 2]})).xy("k k", task="classification"),
            "--nominal 'k k'",
        ),
    ],
)
def test_the_command_line_names_its_own_options(fails, option):
    with pytest.raises(VaglioError) as caught:
        fails()
    assert option in Locale(surface="command").text(caught.value.message)
    assert "--" not in str(caught.value)


def test_remarks_name_options_of_the_command_line():
    command = Locale(surface="command")
    shown = " ".join(map(command.text, read(io.StringIO(_remarkable())).remarks))
    for option in ("--keep k", "--nominal b", "--read dayfirst=false"):
        assert option in shown


def test_italian_numbers_are_never_mixed():
    for remark in read(io.StringIO(_remarkable())).remarks:
        shown = Locale("it").text(remark)
        assert not re.search(r"\d%|\d,\d{3}\b", shown), shown


@pytest.mark.slow
def test_every_message_of_these_packages_has_an_italian_translation():
    with (LOCALE / "it.po").open("rb") as file:
        catalogue = read_po(file, locale="it")
    known = errors()
    paths = [path for area in _AREAS for path in sorted((PACKAGE / area).rglob("*.py"))] + [PACKAGE / "errors.py"]
    missing = [
        (Path(where).name, template)
        for path in paths
        for template, where, _ in in_python(path, known)
        if _has_words(template) and (catalogue.get(template) is None or not catalogue.get(template).string)
    ]
    assert missing == []
