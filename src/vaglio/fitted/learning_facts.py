"""What a learner found out beside its model, as a model file says it: what was chosen for it, and proofs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted

# How a parameter says that its value is to be chosen.
_BY = {"cv": "by cross-validation", "auto": "from the rows"}


def findings_in_words(fitted: Fitted) -> dict[str, str]:
    """Return what there is to say, by heading: values chosen while learning, and whether the model is proved optimal.

    A file may say anything: what is no finding is left out.

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.fitted.learning_facts import findings_in_words
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> findings_in_words(vaglio.OptimalTreeClassifier(max_depth=2).fit(X, y).fitted_)["proof"]
    'optimal: no tree within the limits has an objective below 0.0174 (CART: 0.0378)'
    """
    told = {"chosen": _chosen(fitted), "proof": _proof(fitted)}
    return {heading: text for heading, text in told.items() if text}


def _chosen(fitted: Fitted) -> str:
    found = _numbers(fitted.provenance.get("chosen"))
    return ", ".join(f"{name} = {value:.4g} ({_how(fitted, name)})" for name, value in found.items())


def _how(fitted: Fitted, name: str) -> str:
    given = str(fitted.params.get(name))
    return _BY.get(given, given)


def _proof(fitted: Fitted) -> str:
    given = fitted.provenance.get("found")
    found = _numbers(given)
    if not isinstance(given, dict) or not {"objective", "lower_bound", "greedy_objective"} <= found.keys():
        return ""
    greedy = f"CART: {found['greedy_objective']:.4f}"
    if given.get("proved") is True:
        return f"optimal: no tree within the limits has an objective below {found['objective']:.4f} ({greedy})"
    limit = f"{given.get('stopped_by')}_limit"
    return (
        f"not proved: the objective is {found['objective']:.4f}, and no tree is below {found['lower_bound']:.4f} "
        f"({greedy}); the search ended at its {limit} of {fitted.params.get(limit)}"
    )


def _numbers(given: Any) -> dict[str, float]:
    """Return the entries that are finite numbers."""
    entries = given.items() if isinstance(given, dict) else ()
    return {
        str(name): float(value)
        for name, value in entries
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    }
