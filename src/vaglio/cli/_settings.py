"""``--set name=value``: parameters of a learner, from words on the command line."""

from __future__ import annotations

import ast
import difflib
from typing import Any

from vaglio.cli._options import pair
from vaglio.cli._session import UsageError

_WORDS = {"none": None, "true": True, "false": False}


def make_learner(learner_id: str, settings: list[str] | None, seed: int, jobs: int) -> Any:
    """Return the estimator with this id, its parameters set; what does not fit is wrong use of the command."""
    from vaglio.errors import InputError
    from vaglio.learn.registry import find

    try:
        estimator = find(learner_id).make()
    except InputError as error:
        raise UsageError(str(error)) from None
    known = estimator.get_params()
    given = dict(_setting(text, known, learner_id) for text in settings or [])
    common = {"random_state": seed, "n_jobs": jobs}
    estimator.set_params(**{name: value for name, value in common.items() if name in known})
    estimator.set_params(**given)
    _validate(estimator)
    return estimator


def _setting(text: str, known: dict[str, Any], learner_id: str) -> tuple[str, Any]:
    name, value = pair(text, "--set")
    name = name.replace("-", "_")
    if name not in known:
        near = difflib.get_close_matches(name, known, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(sorted(known))}."
        raise UsageError(f"{learner_id} has no parameter {name!r}: {hint}")
    return name, parse_value(value)


def parse_value(word: str) -> Any:
    """Read a number, true, false, none, or a Python literal; anything else is text."""
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def _validate(estimator: Any) -> None:
    """Compare the values with the limits the learner declares, before any table is read."""
    from sklearn.utils._param_validation import InvalidParameterError

    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise UsageError(str(error)) from None
