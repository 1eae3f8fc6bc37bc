from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaglio.document.notation import Notation
from vaglio.messages.figures import figure, percent, rate, short_number
from vaglio.messages.locale import Locale
from vaglio.messages.message import Number, text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (20.000000000000004, "20"),
        (19.999999999999996, "20"),
        (1500.0000000000002, "1500"),
        (-300.00000000000006, "-300"),
        (4.950000000000001, "4.95"),
        (123456.5, "123456.5"),
        (1e15, "1e+15"),
        (0.0, "0"),
    ],
)
def test_a_number_reads_as_a_person_writes_it(value: float, expected: str):
    assert short_number(value) == expected


@pytest.mark.slow
@given(st.floats(-1e14, 1e14).filter(lambda value: abs(value) >= 1e-4))
def test_no_exponent_and_nine_digits_in_the_usual_range(value: float):
    found = short_number(value)
    assert "e" not in found
    assert float(found) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("value", [-0.0, -1e-9, -0.0004])
@pytest.mark.parametrize("lang", ["en", "it"])
def test_what_is_rounded_to_zero_has_no_minus(value: float, lang: str) -> None:
    locale, notation = Locale(lang), Notation(lang)
    told = [text(f"{{value:{spec}}}", value=value) for spec in (".2f", ".0%", ",.1f", "+.2f")]
    written = [str(each) for each in told] + [locale.text(each) for each in told]
    written += [locale.number(value, ".2f"), notation.percent(value), Number(f"{value:.2f}".replace("-", "−"))]
    written += [percent(value, 10), rate(-0.0), figure(-0.0), notation.fixed(-0.0), notation.figures(-0.0)]
    assert not [each for each in written if each.strip().startswith(("-", "−"))]
    assert str(text("{value:.2f}", value=-0.01)) == "-0.01"
