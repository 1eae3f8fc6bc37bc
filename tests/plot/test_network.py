"""Drawings of Bayesian networks."""

from __future__ import annotations

from vaglio.plot.network import draw_network, place


def test_an_attribute_lies_below_all_its_parents():
    places = place("class", ["c", "b", "a"], [("a", "b"), ("b", "c"), ("a", "c")])
    heights = [places[name][1] for name in ("", "a", "b", "c")]
    assert heights == sorted(set(heights))


def test_an_attribute_may_have_the_name_of_the_class():
    assert draw_network("x", ["x"], []).count(">x</text>") == 2
