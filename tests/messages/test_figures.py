from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaglio.messages.figures import short_number


@pytest.mark.parametrize(
    ("value", "text"),
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
def test_a_number_reads_as_a_person_writes_it(value: float, text: str):
    assert short_number(value) == text


@pytest.mark.slow
@given(st.floats(-1e14, 1e14).filter(lambda value: abs(value) >= 1e-4))
def test_no_exponent_and_nine_digits_in_the_usual_range(value: float):
    text = short_number(value)
    assert "e" not in text
    assert float(text) == pytest.approx(value, rel=1e-9)
