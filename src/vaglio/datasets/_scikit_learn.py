"""Tables that scikit-learn carries. It is imported only when one is asked for."""

from __future__ import annotations

import numpy as np

from vaglio.table import Column, Table

_LOADER = {"iris": "load_iris", "wine": "load_wine", "breast-cancer": "load_breast_cancer", "digits": "load_digits"}


def load_from_scikit_learn(name: str, target: str) -> Table:
    """Load one of scikit-learn's tables with its class as words (digits: as numbers)."""
    from sklearn import datasets

    bunch = getattr(datasets, _LOADER[name])()
    inputs = [
        Column.numeric(feature.removesuffix(" (cm)").replace(" ", "_").replace("/", "_per_"), bunch.data[:, at])
        for at, feature in enumerate(bunch.feature_names)
    ]
    categories = [value.item() for value in np.asarray(bunch.target_names)]
    label = Column.nominal(target, bunch.target, categories, declared=True, role="target")
    return Table([*inputs, label])
