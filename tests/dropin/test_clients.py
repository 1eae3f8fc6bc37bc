"""The suites of projects that build on scikit-learn: what the tool says of two runs of one."""

from __future__ import annotations

import re

from tools.dropin.clients import Client, clients, told

CLIENT = Client("client", "1.0", ("tests",), (), None, [(re.compile("draws"), "random draws")])


def test_a_difference_that_is_not_listed_is_an_error():
    plain = {"a::same": "", "a::draws": "", "a::broken": "its own fault"}
    listed, good = told(CLIENT, plain, {"a::same": "", "a::draws": "0.1 != 0.2", "a::broken": "its own fault"})
    assert good
    assert listed.splitlines() == ["     1 random draws", "client 1.0: 1 of 2 pass, 1 differ as listed, 0 otherwise"]
    for wrong in ({"a::same": "KeyError", "a::draws": ""}, {"a::draws": ""}):
        text, good = told(CLIENT, plain, wrong)
        assert not good
        assert "a::same" in text


def test_a_suite_that_tests_nothing_is_an_error():
    assert not told(CLIENT, {}, {})[1]


def test_every_allowed_difference_of_a_project_has_a_reason():
    for client in clients().values():
        assert all(why for _, why in client.allowed), client.name
