"""``--learner``, ``--set`` and ``--try``: learners and their parameters from words on the command line."""

from __future__ import annotations

import ast
import math
from typing import Any

from vaglio.cli._options import UsageError, pair
from vaglio.text.sentences import did_you_mean

# How a shell user writes them; Python's own None, True and False are literals anyway.
_WORDS = {"none": None, "true": True, "false": False, "inf": math.inf, "-inf": -math.inf}


def make_learner(
    learner_id: str, settings: list[str] | None, seed: int, jobs: int | None, *, textbook: bool = False
) -> Any:
    """Return the estimator with this id and these parameters; a wrong one is wrong use of the command.

    Parameters that are not given are those of the registry, or with ``textbook`` those of a trace.
    """
    from vaglio.errors import InputError
    from vaglio.learn.registry import find

    try:
        entry = find(learner_id)
    except InputError as error:
        raise UsageError(str(error)) from None
    estimator = entry.cls(**entry.textbook) if textbook else entry.make()
    known = estimator.get_params()
    given = dict(_setting(text, known, learner_id) for text in settings or [])
    common = {"random_state": seed, "n_jobs": jobs}
    estimator.set_params(**{name: value for name, value in common.items() if name in known})
    estimator.set_params(**given)
    _validate(estimator)
    return estimator


def learner_ids(given: list[str] | None) -> list[str]:
    """The learners named, each once; one per family if none is named, all of them for 'all'."""
    from vaglio.errors import InputError
    from vaglio.learn.registry import LEARNERS, ONE_PER_FAMILY, find

    if not given:
        return list(ONE_PER_FAMILY)
    if "all" in given:
        return list(LEARNERS)
    try:
        return list(dict.fromkeys(find(name).id for name in given))
    except InputError as error:
        raise UsageError(str(error)) from None


def search_space(learner_id: str, tried: list[str] | None, fixed: list[str] | None, estimator: Any) -> dict[str, Any]:
    """What ``tune`` tries: the values ``--try`` names, else those of the registry without what ``--set`` fixes."""
    from vaglio.learn.registry import find

    known = estimator.get_params()
    settled = {_setting(text, known, learner_id)[0] for text in fixed or []}
    if not tried:
        return {name: values for name, values in find(learner_id).search_space.items() if name not in settled}
    space = {}
    for text in tried:
        name, values = pair(text, "--try")
        name = name.replace("-", "_")
        _known(name, known, learner_id)
        space[name] = _values(values)
        for value in space[name]:
            _validate(type(estimator)(**{name: value}))
    return space


def _values(text: str) -> list[Any]:
    """Values separated by commas, or a Python list, in which a value may itself contain commas."""
    whole = parse_value(text)
    if isinstance(whole, (list, tuple)):
        return list(whole)
    return [parse_value(word.strip()) for word in text.split(",") if word.strip()]


def _known(name: str, known: dict[str, Any], learner_id: str) -> None:
    if name not in known:
        hint = did_you_mean(name, sorted(known), otherwise="it has", most=len(known))
        raise UsageError(f"{learner_id} has no parameter {name!r}: {hint}")


def _setting(text: str, known: dict[str, Any], learner_id: str) -> tuple[str, Any]:
    name, value = pair(text, "--set")
    name = name.replace("-", "_")
    _known(name, known, learner_id)
    return name, parse_value(value)


def parse_value(word: str) -> Any:
    """Read a number, inf, true, false, none, or a Python literal; anything else is text."""
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
