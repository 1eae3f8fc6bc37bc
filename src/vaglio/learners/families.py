"""The families of learners, in the order in which kinds of models are listed."""

from __future__ import annotations

from vaglio.learners.additive.family import FAMILY as ADDITIVE
from vaglio.learners.bayes.family import FAMILY as BAYES
from vaglio.learners.boosting.family import FAMILY as BOOSTING
from vaglio.learners.ensembles.family import FAMILY as ENSEMBLES
from vaglio.learners.forest.family import FAMILY as FOREST
from vaglio.learners.linear.family import FAMILY as LINEAR
from vaglio.learners.neighbors.family import FAMILY as NEIGHBORS
from vaglio.learners.rules.family import FAMILY as RULES
from vaglio.learners.svm.family import FAMILY as SVM
from vaglio.learners.trees.family import FAMILY as TREES

__all__ = ["FAMILIES"]

FAMILIES = (TREES, RULES, BAYES, LINEAR, SVM, NEIGHBORS, FOREST, BOOSTING, ADDITIVE, ENSEMBLES)
