"""Columns that name persons are left out of training with a remark, unless they are kept."""

from __future__ import annotations

import io

import pytest

import vaglio
from vaglio.table._persons import names_persons

PEOPLE = [f"{first} {last}" for first in ("Anna", "Luca", "Zoë") for last in ("Rossi", "D'Angelo", "Bianchi", "Müller")]
TAX_CODES = [f"RSSMRA{year}A01H501{letter}" for year in range(60, 72) for letter in "ZW"]


def table(name, values, **how):
    rows = "".join(f"{values[at % len(values)]};{at % 7};{'yn'[at % 2]}\n" for at in range(60))
    return vaglio.read(io.StringIO(f"{name};x;y\n" + rows), "y", **how)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Nominativo", PEOPLE),
        ("COGNOME", [f"N{at}x" for at in range(12)]),
        ("name", PEOPLE),
        ("anything", [f"{at}@posta.it" for at in range(12)]),
        ("e_mail", [f"m{at}x" for at in range(12)]),
        ("c.f.", TAX_CODES),
        ("anything", TAX_CODES),
        ("Codice cliente", [f"C{at:04d}x" for at in range(30)]),
        ("customer_id", [str(at) for at in range(1000, 1030)]),
        ("telefono", [f"0{at}11" for at in range(20)]),
    ],
)
def test_columns_of_persons_are_left_out_unless_kept(name, values):
    read = table(name, values)
    assert read.column(name).role == "identifier"
    told = next(remark for remark in read.remarks if remark.code.startswith("persons-"))
    assert f"roles={{{name!r}: 'input'}}" in told
    assert f"roles={{{name!r}: 'group'}}" in told
    kept = table(name, values, roles={name: "input"})
    assert kept.column(name).role == "input"
    assert not any(getattr(remark, "code", "").startswith("persons-") for remark in kept.remarks)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("name", ["ant", "bear", "cat", "dog", "eel", "fox", "gnu", "hen", "ibex", "jay", "kiwi"]),
        ("city", ["New York", "San Remo", "Los Angeles"] + [f"Santa {x}osa" for x in "ABCDEFGHIJ"]),
        ("Nominativo", ["Anna Rossi", "Luca Neri"]),
        ("customer_type", [f"t{at}x" for at in range(12)]),
        ("person", [f"p{at}x" for at in range(12)]),
    ],
)
def test_other_columns_stay(name, values):
    assert table(name, values).column(name).role == "input"
    assert names_persons(name, values) is None
