"""Look at a table before learning: audit, cleaning, statistics per measurement level, exploration."""

from vaglio.quality.auditing import Audit, audit
from vaglio.quality.checks.finding import Finding
from vaglio.quality.cleaning import Cleaned, Policy
from vaglio.quality.exploration.association import Association, Associations, associate, associations
from vaglio.quality.exploration.exploration import Exploration, explore
from vaglio.quality.exploration.figures import box_plots, histograms, pair_plot
from vaglio.quality.exploration.ranking import AttributeScore, rank_attributes
from vaglio.quality.statistics import describe, permitted_statistics, statistic
from vaglio.quality.transformations import check_transformation, transform

__all__ = [
    "Association",
    "Associations",
    "AttributeScore",
    "Audit",
    "Cleaned",
    "Exploration",
    "Finding",
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
