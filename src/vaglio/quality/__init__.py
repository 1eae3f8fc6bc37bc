"""Look at a table before learning: audit, cleaning, statistics per measurement level, exploration."""

from vaglio.quality.association import (
    Association,
    Associations,
    AttributeScore,
    NumberScore,
    associate,
    associations,
    rank_attributes,
)
from vaglio.quality.auditing import Audit, audit
from vaglio.quality.checks.context import Finding
from vaglio.quality.cleaning import Cleaned, Policy
from vaglio.quality.exploration import Exploration, box_plots, explore, histograms, pair_plot
from vaglio.quality.levels import check_transformation, describe, permitted_statistics, statistic, transform

__all__ = [
    "Association",
    "Associations",
    "AttributeScore",
    "Audit",
    "Cleaned",
    "Exploration",
    "Finding",
    "NumberScore",
    "Policy",
    "associate",
    "associations",
    "audit",
    "box_plots",
    "check_transformation",
    "describe",
    "explore",
    "histograms",
    "pair_plot",
    "permitted_statistics",
    "rank_attributes",
    "statistic",
    "transform",
]
