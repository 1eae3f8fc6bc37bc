"""Baskets."""

from __future__ import annotations

import io

import pytest

from vaglio.table import read


@pytest.mark.parametrize(
    "text",
    [
        "milk,bread\nbread\nbeer,milk,bread\n",
        "T1,milk,bread\nT2,bread\nT3,beer,milk,bread\n",
        "id,item\n1,milk\n1,bread\n2,bread\n3,beer\n3,milk\n3,bread\n",
        "milk bread\nbread\nbeer milk bread milk\n",
    ],
)
def test_three_forms_of_baskets_are_recognised(text):
    table = read(io.StringIO(text), kind="transactions")
    block = table.sparse
    assert block.names == ("beer", "bread", "milk")
    assert block.matrix.toarray().tolist() == [[0, 1, 1], [0, 1, 0], [1, 1, 1]]
    beer = table.column("beer")
    assert (beer.kind, beer.asymmetric, beer.categories) == ("nominal", True, (False, True))
    if "id" in table:
        assert table.column("id").role == "identifier"


def test_an_item_may_be_the_target():
    table = read(io.StringIO("milk,bread\nbread\nbeer,milk,bread\n"), kind="transactions", target="beer")
    X, y = table.xy()
    assert X.columns == ("bread", "milk")
    assert X.sparse is not None
    assert y.tolist() == [False, False, True]
