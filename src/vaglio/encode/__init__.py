"""From a table or an array to the numbers that the kernels read, and back to names."""

from vaglio.encode._codebook import Codebook, natural_order
from vaglio.encode._counts import CountBlock, count_block, count_columns
from vaglio.encode._decode import decode, select_features
from vaglio.encode._dense import DenseEncoder, Origin, within_reach
from vaglio.encode._feature import Feature, Spread, learn_spreads, spelling
from vaglio.encode._matrix import MISSING_RANK, EncodedMatrix, Ranks

__all__ = [
    "MISSING_RANK",
    "Codebook",
    "CountBlock",
    "DenseEncoder",
    "EncodedMatrix",
    "Feature",
    "Origin",
    "Ranks",
    "Spread",
    "count_block",
    "count_columns",
    "decode",
    "learn_spreads",
    "natural_order",
    "select_features",
    "spelling",
    "within_reach",
]
