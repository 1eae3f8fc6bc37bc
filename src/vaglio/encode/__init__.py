"""From a table or an array to the numbers that the kernels read, and back to names."""

from vaglio.encode._chance import (
    UNGUARDED_VALUES,
    guarded_from,
    learn_reliability,
    reliability,
    reliability_for_numbers,
    shown_share,
)
from vaglio.encode._codebook import Codebook
from vaglio.encode._dense import (
    CountBlock,
    DenseEncoder,
    NumberRows,
    Origin,
    count_block,
    count_columns,
    within_reach,
)
from vaglio.encode._encode_column import code_type, describe, natural_order, own_codes
from vaglio.encode._feature import (
    Feature,
    Spread,
    aligned_labels,
    code_of_absence,
    presence,
    spelling,
    spread_rows,
    spreads_of,
)
from vaglio.encode._matrix import MISSING_RANK, EncodedMatrix, Ranges, Ranks, decode, select_features
from vaglio.encode._products import Products
from vaglio.encode._text import split_words

__all__ = [
    "MISSING_RANK",
    "UNGUARDED_VALUES",
    "Codebook",
    "CountBlock",
    "DenseEncoder",
    "EncodedMatrix",
    "Feature",
    "NumberRows",
    "Origin",
    "Products",
    "Ranges",
    "Ranks",
    "Spread",
    "aligned_labels",
    "code_of_absence",
    "code_type",
    "count_block",
    "count_columns",
    "decode",
    "describe",
    "guarded_from",
    "learn_reliability",
    "natural_order",
    "own_codes",
    "presence",
    "reliability",
    "reliability_for_numbers",
    "select_features",
    "shown_share",
    "spelling",
    "split_words",
    "spread_rows",
    "spreads_of",
    "within_reach",
]
