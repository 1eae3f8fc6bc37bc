"""The rules of `read`: each has its test; what was understood is said, what was not is named."""

from __future__ import annotations

import io

import numpy as np
import pytest

from vaglio.encode import Codebook
from vaglio.errors import InputError
from vaglio.table import MISSING, Column, Table, read, read_chunks
from vaglio.table._convert import as_ordinal


def _column(name: str, values: list, **options):
    rest = [at % 3 for at in range(len(values))]
    return read({name: values, "other": rest}, **options).column(name)


def test_1_empty_columns_are_ignored():
    table = read(io.StringIO("a,b\n1,\n2,\n3,?\n"))
    assert table.column("b").role == "ignored"
    assert table.remarks == ("Column 'b' has no values and is ignored.",)


@pytest.mark.parametrize("pair", [("no", "yes"), ("False", "True"), ("f", "t"), ("N", "Y")])
def test_2_yes_and_no(pair):
    column = _column("a", [pair[1], pair[0], pair[1], None, pair[0]])
    assert column.categories == pair
    assert column.data.tolist() == [1, 0, 1, -1, 0]


def test_2_spellings_are_remarked_on():
    table = read({"a": ["Yes", "yes", "no", "no", "yes"]})
    assert table.column("a").categories == ("no", "Yes", "yes")
    assert table.remarks == ("Column 'a' spells no and yes in several ways (Yes, no and yes). Use one spelling.",)


def test_3_codes():
    column = _column("a", ["007", "012", "007", "100", "012"])
    assert column.kind == "nominal"
    assert column.categories == ("007", "012", "100")


def test_4_numbers_written_as_words():
    column = _column("a", ["1.5", "2", None, "-3e2", "2"])
    assert column.kind == "numeric"
    assert np.array_equal(column.data, [1.5, 2, np.nan, -300, 2], equal_nan=True)


@pytest.mark.parametrize(
    ("words", "day"),
    [
        (["2020-03-01", "2020-03-02", None], 18322),
        (["2020-03-01T12:00:00", "2020-03-02T00:00:00", None], 18322.5),
        (["01/03/2020", "31/12/2020", None], 18322),
        (["03/01/2020", "12/31/2020", None], 18322),
        (["1.3.2020", "2.3.2020", None], 18322),
    ],
)
def test_5_dates(words, day):
    column = _column("d", words)
    assert column.is_date
    assert column.level == "interval"
    assert column.data[0] == day
    assert np.isnan(column.data[2])


def test_5_ambiguous_dates_stay_words():
    assert _column("d", ["01/03/2020", "02/03/2020", "01/03/2020"]).kind == "nominal"


def test_6_text():
    said = [f"this one is comment number {at} of the lot" for at in range(8)]
    table = read({"said": said, "class": ["a", "b"] * 4})
    assert table.column("said").kind == "text"
    assert table.remarks == ("Column 'said' is read as free text.",)


def test_7_identifiers():
    n = 344
    table = read(
        {
            "name": [f"p{at}" for at in range(n)],
            "row": list(range(1, n + 1)),
            "PassengerId": [7 * at for at in range(n)],
            "weight": [3.5 * at for at in range(n)],
            "far": [11 * at for at in range(n)],
        }
    )
    roles = {name: table.column(name).role for name in table.columns}
    assert roles == {
        "name": "identifier",
        "row": "identifier",
        "PassengerId": "identifier",
        "weight": "input",
        "far": "input",
    }
    found = "Column 'name' looks like an identifier (344 distinct values in 344 rows) and is left out of training."
    assert any(remark.startswith(found) for remark in table.remarks)


def test_7_the_target_is_never_an_identifier():
    table = read({"a": [1, 2, 3, 4, 5, 6], "word": list("abcdef")}, target="word", roles={"a": "input"})
    assert table.column("word").role == "target"
    assert table.column("a").role == "input"
    assert table.column("a").kind == "numeric"


def test_8_numbers_that_are_codes():
    table = read({"zip": [10115, 80331, 10115, 20095, 10115], "store_id": [3, 4, 3, 3, 4], "age": [3, 4, 3, 3, 4]})
    assert [table.column(name).kind for name in table.columns] == ["nominal", "nominal", "numeric"]
    assert table.column("zip").categories == (10115, 20095, 80331)


def test_9_binary():
    column = _column("bit", [0, 1, 1, 0, 1])
    assert (column.kind, column.categories, column.asymmetric) == ("nominal", (0, 1), False)
    assert _column("rare", [0] * 19 + [1]).asymmetric


def test_10_levels():
    table = read({"mass": [1.5, 2, 3], "change": [-1.5, 2, 3], "year": [2007, 2008, 2010]})
    assert [table.column(name).level for name in table.columns] == ["ratio", "interval", "interval"]
    assert read(io.StringIO("at,b\n12:30:00,1\n13:00:00,2\n")).column("at").level == "interval"


def test_overrides_overrule():
    table = read(
        io.StringIO("id,zip,size,when\n1,5,small,1/2/2020\n2,6,large,3/2/2020\n3,5,medium,\n4,5,small,\n5,6,,\n"),
        levels={"zip": "ratio", "size": ["small", "medium", "large"], "when": "nominal"},
        roles={"id": "input"},
    )
    assert table.column("zip").kind == "numeric"
    assert table.column("size").level == "ordinal"
    assert table.column("size").data.tolist() == [0, 2, 1, 0, -1]
    assert table.column("when").kind == "nominal"
    assert table.column("id").role == "input"
    assert not any("left out" in remark for remark in table.remarks)


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"size": ["small", "large"]}, "'size' has 'medium' in row 3, which is not in the given order"),
        ({"size": "ordinal"}, "order of its values is unknown"),
        ({"size": "numeric"}, "'size' has 'small' in row 1; expected a number"),
        ({"size": "huge"}, "the level must be nominal, ordinal"),
        ({"size": "date"}, "cannot all be read as dates"),
        ({"sizes": "nominal"}, "no column 'sizes': did you mean 'size'"),
    ],
)
def test_errors_in_overrides_name_the_column(levels, said):
    with pytest.raises(InputError, match=said):
        read({"size": ["small", "large", "medium"], "n": [1, 2, 3]}, levels=levels)


def test_frames_in_fit_are_not_inferred():
    table = Table.from_any({"id": list(range(10)), "bit": [0, 1] * 5, "date": ["2020-01-01"] * 10})
    assert [table.column(name).kind for name in table.columns] == ["numeric", "numeric", "nominal"]
    assert all(table.column(name).role == "input" for name in table.columns)


def test_a_number_that_is_not_in_the_order_is_named_as_people_write_it():
    column = Column.numeric("a", [1.0, 2.0, 3.5])
    with pytest.raises(InputError, match=r"Column 'a' has 3\.5 in row 3, which is not in the given order \(1 and 2\)"):
        as_ordinal(column, ["1", "2"])


def table(delimiter: str = ";", **columns):
    rows = [delimiter.join(columns), *(delimiter.join(map(str, row)) for row in zip(*columns.values()))]
    return io.StringIO("\n".join(rows) + "\n")


def said(read_table, *parts: str) -> bool:
    return any(all(part in remark for part in parts) for remark in read_table.remarks)


NUMBERS = [f"{7 * at},5" for at in range(60)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "word",
    ["n.d.", "N.D.", "n/a", "-", "–", "k.A.", "s/d", "keine Angabe", "non disponibile", "ND", "unknown", "inconnu"],
)
def test_a_word_for_missing_among_numbers_is_missing_and_said(word):
    found = read(table(x=[*NUMBERS, word], c=["a", "b"] * 30 + ["a"]))
    column = found.column("x")
    assert (column.kind, column.n_missing, column.unread) == ("numeric", 1, None)
    assert said(found, "Taken for missing values", repr(word), "'x'")


def test_values_that_look_like_missing_words_are_kept():
    rows = {"rh": ["+", "-", "+", "-"] * 5, "ok": ["no", "yes", "no", "no"] * 5, "state": ["ND", "CA", "SD", "NY"] * 5}
    found = read(table(**rows))
    assert [found.column(name).n_missing for name in rows] == [0, 0, 0]
    assert said(found, "'rh'", "'-' is a value")
    assert read(table(**rows), missing=[*MISSING, "-"]).column("rh").n_missing == 10
    provinces = {"prov": ["MI", "RM", "NA", "TO", "BA", "FI"] * 4, "n": range(24)}
    assert read(table(**provinces)).column("prov").n_missing == 0
    assert said(read(table(**provinces)), "'NA' is a value", "codes of two letters")
    assert read(table(grade=["AA", "NA", "BB", "CC"] * 5, n=range(20))).column("grade").n_missing == 5
    assert (
        read(table(grade=["x", "-", "y"] * 5, n=range(15)), keep_words={"grade": ["-"]}).column("grade").n_missing == 0
    )


def test_a_few_words_among_numbers_are_named_and_many_leave_words():
    found = read(table(x=[*NUMBERS, "12,5O"], c=["a", "b"] * 30 + ["a"]))
    assert found.column("x").kind == "numeric"
    assert found.column("x").unread.values[60] == "12,5O"
    assert said(found, "'12,5O' in row 61", "counts as missing")
    few = read(table(x=["1", "2", "3", "3+"] * 5, c=["a", "b"] * 10))
    assert few.column("x").kind == "nominal"
    assert said(few, "'x' is read as words", "'3+' in row 4")
    half = read(table(x=[*NUMBERS[:30], *(f"w{at}" for at in range(20))], c=["a", "b"] * 25))
    assert half.column("x").kind == "nominal"
    assert said(half, "'x' is read as words", "60% of its values are numbers")
    assert read(table(x=[*NUMBERS, "12,5O"], c=["a"] * 61), numeric_share=0.99).column("x").kind == "nominal"
    with pytest.raises(InputError, match="numeric_share must be above 0"):
        read(table(x=[1], c=[2]), numeric_share=1.5)


def test_the_other_columns_show_what_a_point_is():
    open_ones = ["1.234", "12.500", "2.345"]
    italian = read(table(n=open_ones, x=["1,5", "2,5", "3,25"]))
    assert italian["n"].tolist() == [1234, 12500, 2345]
    assert said(italian, "'n'", "the point separates thousands", "as in the other numbers of the table")
    english = read(table(n=open_ones, x=["1.5", "2.5", "3.25"]))
    assert (english["n"].tolist(), english.remarks) == ([1.234, 12.5, 2.345], ())
    alone = read(table(n=open_ones, x=["a", "b", "a"]))
    assert alone["n"].tolist() == [1.234, 12.5, 2.345]
    assert said(alone, "'n'", "'1.234' is read as 1.234", "decimal=','")
    assert read(table(n=open_ones, x=["a", "b", "a"]), decimal=",")["n"].tolist() == [1234, 12500, 2345]
    short = ["1.234", "987", "12.500", "2.345", "5.000", "7.125", "45"]
    found = read(table(n=short, x=list("abababa")))
    assert found["n"].tolist() == [1234, 987, 12500, 2345, 5000, 7125, 45]
    assert said(found, "numbers below 1000 have no mark")
    # In a comma-separated file the comma of a quoted number separates thousands.
    assert read(io.StringIO('n,c\n"1,234",a\n"2,500",b\n'))["n"].tolist() == [1234, 2500]


def test_units_are_kept_and_several_units_are_named():
    found = read(table(w=["12 kg", "3,5 kg", "7 kg"], p=["€ 5", "€ 6,50", "€ 7"], m=["2 kg", "300 g", "1 kg"]))
    assert [found.column(name).unit for name in ("w", "p")] == ["kg", "€"]
    assert found["w"].tolist() == [12, 3.5, 7]
    assert said(found, "Units were read with the numbers", "'w' in kg", "'p' in €")
    assert said(found, "'m' is read as words", "several units (kg and g)")


@pytest.mark.parametrize(
    ("words", "day"),
    [
        (["3 marzo 2024", "28 luglio 2023"], "2024-03-03"),
        (["3. März 2024", "28. Juli 2023"], "2024-03-03"),
        (["3 mars 2024", "28 août 2023"], "2024-03-03"),
        (["3 de marzo de 2024", "28 de julio de 2023"], "2024-03-03"),
        (["March 3, 2024", "Jul 28, 2023"], "2024-03-03"),
        (["03/03/24", "28/07/23"], "2024-03-03"),
        (["3.3.2024 14:00", "28.7.2023 09:30"], "2024-03-03"),
        (["3/3/2024 2:00 PM", "7/28/2023 9:30 AM"], "2024-03-03"),
    ],
)
def test_dates_of_several_countries(words, day):
    found = read(table(d=words, c=["a", "b"])).column("d")
    assert found.is_date
    assert str(found.values[0])[:10] == day


def test_day_and_month_are_decided_by_the_table_or_left():
    both = ["03/04/2024", "05/06/2024"]
    assert read(table(d=both, c=["a", "b"])).column("d").kind == "nominal"
    assert said(read(table(d=both, c=["a", "b"])), "day and month are ambiguous", "Set dayfirst")
    assert str(read(table(d=both, c=["a", "b"]), dayfirst=True)["d"][0])[:10] == "2024-04-03"
    assert str(read(table(d=both, c=["a", "b"]), dayfirst=False)["d"][0])[:10] == "2024-03-04"
    other = read(table(d=both, e=["31/12/2023", "30/11/2023"]))
    assert str(other["d"][0])[:10] == "2024-04-03"
    assert said(other, "'d'", "the day comes first")
    assert read(table(d=both, x=["1,5", "2,5"])).column("d").is_date


def test_impossible_dates_are_named():
    days = [f"{1 + at % 28:02}/{1 + at % 12:02}/2023" for at in range(40)]
    found = read(table(d=[*days, "30/02/2023"], c=["a"] * 41))
    assert found.column("d").is_date
    assert said(found, "1 cell is not a date", "'30/02/2023' in row 41")


def test_infinite_numbers_are_named():
    found = read(io.StringIO("x,c\n1,a\ninf,b\n3,a\n"))
    assert (found.column("x").n_missing, found.column("x").unread.values[1]) == (1, "inf")
    assert said(found, "not a finite number", "'inf' in row 2")


def test_rows_for_a_model_are_read_in_the_same_way():
    like = {"x": "numeric", "d": "date", "g": "nominal"}
    found = read(table(x=["1.234,50", "n.d."], d=["3.4.2024", "k.A."], g=["-", "+"]), like=like)
    assert found["x"].tolist()[0] == 1234.5
    assert np.isnan(found["x"][1])
    assert found.column("d").n_missing == 1
    assert found["g"].tolist() == ["-", "+"]
    alone = read(table(x=["5"], g=["-"]), like=like, keep_words={"g": ["-"]})
    assert alone["g"].tolist() == ["-"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # A name with its place in a list is no number with a unit.
        ("1. Middle Atlantic\n2. Middle Atlantic\n3. Middle Atlantic", ["1. Middle Atlantic", "2. Middle Atlantic"]),
        # Codes with a letter are no mistakes among numbers.
        ("\n".join([*map(str, range(1, 21)), "16a", "01A"]), ["1", "2"]),
        # Naples beside a single other province; North Carolina beside New York.
        ("NA\nRM\nNA", ["NA", "RM"]),
        ("N.C.\nN.D.\nN.Y.\nS.C.", ["N.C.", "N.D."]),
        # No finite number says that these are numbers.
        ('inf\n""\ninf', ["inf", None]),
    ],
)
def test_words_that_look_like_something_else(text, values):
    column = read(io.BytesIO(f"prov\n{text}\n".encode()), header=True).column("prov")
    assert column.kind == "nominal"
    assert column.values[:2].tolist() == values


def test_a_column_of_plain_decimals_shows_what_a_point_is():
    words = {"lat": ["45", "46", "44.123", "43.456", "41.234", "40.111", "40.121"], "lon": ["9.12", *"823456"]}
    assert read(Table.from_any(words))["lat"][:3].tolist() == [45, 46, 44.123]


def test_a_small_share_of_numbers_says_nothing_of_dates():
    days = [f"{day}/{month}/2023" for month in (1, 2, 3) for day in range(13, 29)]
    days += [f"{month}/{day}/2023" for month in (1, 2, 3) for day in range(13, 29)]
    table = read(io.StringIO("day\n" + "".join(f"{day}\n" for day in days)), numeric_share=0.4, dayfirst=True)
    assert table["day"].tolist() == days


# Name -> cells that are easily read in one way by pyarrow and in another by rules, and what they are.
BOTH_WAYS = {
    "infinite": (["1.0", "inf", "1.0", "inf", "2.5"] * 4, "numeric"),
    "empty": ([""] * 20, "nominal"),
    "long among decimals": (["1000000000000005632", "3.88", "2.66", "7"] * 5, "numeric"),
    "long": (["1000000000000005632", "3", "2", "7"] * 5, "nominal"),
    "sixteen digits": (["1600000000000000", "1600000000000001", "3", "2"] * 5, "numeric"),
    "truth": (["True", "False", "True", "True"] * 5, "nominal"),
}


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_a_column_is_the_same_whole_and_in_chunks(name):
    cells, kind = BOTH_WAYS[name]
    content = f"{name},z\n{''.join(f'{cell},u' + chr(10) for cell in cells)}".encode()
    whole = read(io.BytesIO(content)).column(name)
    for rows in (1, 7, 100):
        parts = [part.column(name) for part in read_chunks(io.BytesIO(content), rows=rows)]
        assert {part.kind for part in parts} == {whole.kind} == {kind}
        assert [value for part in parts for value in part.values.tolist()] == pytest.approx(
            whole.values.tolist(), nan_ok=True
        )


def test_a_code_with_a_letter_in_several_cells_is_no_mistake():
    families = [str(at) for at in range(1, 200)]
    table = read({"family": [*families, *["136A"] * 8], "height": [at % 9 + 0.5 for at in range(207)]})
    assert table.column("family").kind == "nominal"
    assert table["family"].tolist().count("136A") == 8
    once = read({"family": [*families, "136A"], "height": [at % 9 + 0.5 for at in range(200)]})
    assert once.column("family").unread is not None


@pytest.mark.parametrize("mark", [".", ","])
def test_few_cells_with_another_decimal_mark_are_no_decimals(mark):
    """4,6 among whole numbers is a list of two where other columns have a decimal point; it is named."""
    other = {".": ",", ",": "."}[mark]
    rows = [(f"{at}{mark}25", "4" + other + "6" if at % 9 == 0 else str(at)) for at in range(1, 60)]
    table = _read("".join(f"{a};{b}\n" for a, b in [("age", "source"), *rows]))
    assert table["age"].tolist()[0] == 1.25
    assert table.column("source").n_missing == 6
    assert any("'source'" in remark and repr(f"4{other}6") in remark for remark in table.remarks)
    codebook = Codebook.from_state(Codebook.learn(table).to_state())
    again = codebook.encode(_read("".join(f"{a};{b}\n" for a, b in [("age", "source"), *rows]), codebook.cell_formats))
    assert np.array_equal(again.numeric, codebook.encode(table).numeric, equal_nan=True)
    # A column in which most numbers have the other mark is written so.
    rows = [(f"{at}{mark}25", f"{at}{other}5") for at in range(1, 60)]
    table = _read("".join(f"{a};{b}\n" for a, b in [("age", "pay"), *rows]))
    assert table["pay"].tolist()[0] == 1.5
    assert table["age"].tolist()[0] == 1.25


def _read(text: str, like=None) -> Table:
    return read(io.BytesIO(text.encode()), like=like)
