"""What kernels say of the bytes of a text, beside Python's decoder and a pattern."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaglio import _core

# Bytes at the edges of what UTF-8 allows, so that random texts are often nearly right.
EDGES = [
    0x00,
    0x41,
    0x7F,
    0x80,
    0x8F,
    0x90,
    0x9F,
    0xA0,
    0xBF,
    0xC1,
    0xC2,
    0xDF,
    0xE0,
    0xED,
    0xEF,
    0xF0,
    0xF4,
    0xF5,
    0xFF,
]
raw_text = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from(EDGES), max_size=80).map(bytes),
    st.tuples(st.text(max_size=60), st.binary(max_size=2), st.text(max_size=60)).map(
        lambda parts: parts[0].encode("utf-8", "ignore") + parts[1] + parts[2].encode("utf-8", "ignore")
    ),
)


def as_array(text: bytes) -> np.ndarray:
    return np.frombuffer(text, dtype=np.uint8)


@given(raw_text)
def test_the_first_wrong_bytes_are_those_of_python(text):
    try:
        text.decode("utf-8")
        expected = None
    except UnicodeDecodeError as error:
        expected = error.start
    assert _core.first_invalid_utf8(as_array(text), 2) == expected


@given(st.text(alphabet='0019a,;. "\n\r', max_size=200), st.sampled_from(",;"))
def test_line_ends_and_leading_zeros_are_those_of_a_pattern(text, delimiter):
    lines, padded = _core.survey_text(as_array(text.encode()), ord(delimiter), 2)
    assert lines == text.count("\n")
    assert padded == bool(re.search(rf'(?:\A|[\n\r" {delimiter}])0\d', text))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_large_text_is_looked_at_in_blocks(threads):
    text = ("1.5,é€😀\n" * 100_000).encode()
    assert _core.first_invalid_utf8(as_array(text), threads) is None
    assert _core.survey_text(as_array(text), ord(","), threads) == (100_000, False)
    assert _core.first_invalid_utf8(as_array(text + b"\xe2"), threads) == len(text)
    assert _core.survey_text(as_array(text + b"07"), ord(","), threads) == (100_000, True)
