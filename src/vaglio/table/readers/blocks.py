"""Text is parsed in blocks, and a row must fit into one: larger blocks are tried when a row does not."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

_USUAL = 1 << 20
# pyarrow counts the bytes of a block in 31 bits.
_MOST = (1 << 31) - 1
# What pyarrow says of a row that is larger than a block.
TOO_LARGE = "straddling object"


def in_blocks(parse: Callable[[int], pa.Table], size: int, first: int = 0) -> pa.Table:
    """Return what a parser makes of text, with blocks as large as its longest row needs.

    Parameters
    ----------
    parse : function
        Takes the bytes of a block.
    size : int
        Bytes of the text.
    first : int
        Bytes of a block that are known to be needed.
    """
    block = min(max(_USUAL, first), _MOST)
    while True:
        try:
            return parse(block)
        except pa.ArrowInvalid as error:
            if TOO_LARGE not in str(error) or block > size or block == _MOST:
                raise
            block = min(8 * block, _MOST)
