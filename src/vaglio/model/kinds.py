"""How a model's class is found again when a file is read."""

from __future__ import annotations

import importlib
from typing import Any

from vaglio.errors import ModelFileError
from vaglio.model.base import Model

# Kind written in the file -> where its class lives. Only what is listed here can be loaded.
_HOME = {
    "ensemble": "vaglio.model.ensembles.ensemble:Ensemble",
    "forest": "vaglio.model.ensembles.forest:Forest",
    "linear": "vaglio.model.linear.linear:LinearModel",
    "mlp": "vaglio.model.linear.mlp:NetworkModel",
    "svm": "vaglio.model.svm.svm:SVMModel",
    "neighbors": "vaglio.model.neighbors.neighbors:Neighbors",
    "rules": "vaglio.model.rules.ruleset:RuleSet",
    "naive-bayes": "vaglio.model.bayes.naive_bayes:NaiveBayesModel",
    "gaussian-mixture": "vaglio.model.bayes.gaussian_mixture:GaussianMixtureModel",
    "joint-bayes": "vaglio.model.bayes.joint_bayes:JointBayesModel",
    "bayes-net": "vaglio.model.bayes.bayes_net:BayesNetModel",
    "multinomial-nb": "vaglio.model.bayes.count_bayes:MultinomialModel",
    "bernoulli-nb": "vaglio.model.bayes.count_bayes:BernoulliModel",
    "tree": "vaglio.model.trees.tree:Tree",
}


def model_class(kind: Any) -> type[Model]:
    """Return the class that reads models of this kind."""
    if not isinstance(kind, str) or kind not in _HOME:
        raise ModelFileError(
            f"The file holds a model of the unknown kind {kind!r}: it may come from a later version of vaglio."
        )
    module, name = _HOME[kind].split(":")
    return getattr(importlib.import_module(module), name)
