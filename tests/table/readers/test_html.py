import io

import pytest

from vaglio import read
from vaglio.errors import ReadError
from vaglio.table import read_chunks

PAGE = """<!DOCTYPE html><html><head><script>var a = "<table><tr><td>x</table>";</script></head><body>
<table><tr><td><table><caption>Nav</caption><tr><td>home</td></tr></table></td></tr></table>
<table class=wide><caption>People &amp; towns</caption>
<tr><th colspan=3>Population of towns</th></tr>
<tr><th>town<th>people<th>area</tr>
<tr><td>Rome</td><td>2.800.000</td><td rowspan="2">12,5</td></tr>
<tr><td>Milan<td>1.400.000</tr>
<tr><td>Turin<br>North<td>900.000<td>3,5</tr>
<tr><td colspan=3>Source: office</td></tr></table>
<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></body></html>"""


def _opened(page: str = PAGE) -> io.BytesIO:
    return io.BytesIO(page.encode())


def test_a_table_of_a_page_is_read_as_a_browser_shows_it():
    table = read(_opened())
    assert {name: table[name].tolist() for name in table.columns} == {
        "town": ["Rome", "Milan", "Turin North"],
        "people": [2_800_000, 1_400_000, 900_000],
        "area": [12.5, 12.5, 3.5],
    }
    said = " ".join(table.remarks)
    assert "'Population of towns'" in said
    assert "'Source: office'" in said
    assert "2 tables, of which table 0 was read (People & towns and a). Set sheet=1" in said
    (chunk,) = read_chunks(_opened())
    assert chunk["people"].tolist() == table["people"].tolist()


def test_another_table_of_a_page_is_read_by_position_or_caption():
    assert read(_opened(), sheet=1).columns == ("a", "b")
    assert read(_opened(), sheet="People & towns").columns == ("town", "people", "area")
    for sheet, said in ((2, "no table 2"), (-3, "no table -3"), ("People and towns", "did you mean 'People & towns'")):
        with pytest.raises(ReadError, match=said):
            read(_opened(), sheet=sheet)


@pytest.mark.parametrize(
    "page", ["<html><body><p>Log in</p></body></html>", "<html><table></table><table><tr><td>1</table>", "<html><tr>"]
)
def test_a_page_without_a_table_is_refused(page):
    with pytest.raises(ReadError, match="is an HTML page without a table"):
        read(_opened(page))


def test_a_page_in_the_name_of_a_spreadsheet_is_read(tmp_path):
    (tmp_path / "t.xls").write_text("<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>x</td></tr></table>")
    assert read(tmp_path / "t.xls").columns == ("a", "b")


def test_spans_without_end_make_no_columns():
    row = "<tr><td colspan=99999 rowspan=99999>a<td>b</tr>"
    assert read(_opened(f"<html><table>{row}<tr><td>1<td>2</tr></table>"), header=False).shape[1] <= 3
