"""Learners and their parameters from words, as people type them into a command or a form."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from sklearn.utils._param_validation import InvalidParameterError, StrOptions

from vaglio.errors import InputError
from vaglio.learners.registry import find
from vaglio.messages.sentences import did_you_mean

__all__ = ["check_parameters", "known_parameter", "learner_from_words", "parse_value"]

# How people write them; Python's own None, True and False are literals anyway.
_WORDS = {"none": None, "true": True, "false": False, "inf": math.inf, "-inf": -math.inf}


def learner_from_words(
    learner_id: str, params: Mapping[str, str], seed: int, jobs: int | None, *, textbook: bool = False
) -> Any:
    """Return the estimator with this id and these parameters, each compared with its limits.

    Parameters
    ----------
    learner_id : str
    params : mapping of str to str
        Parameter -> its value as typed.
    seed : int
    jobs : int or None
        Threads.
    textbook : bool
        Whether what is not given is as in a trace, and not as in the registry.

    Examples
    --------
    >>> learner_from_words("c45", {"min-samples-leaf": "5"}, 0, 1).min_samples_leaf
    5
    """
    entry = find(learner_id)
    estimator = entry.cls(**entry.textbook) if textbook else entry.make()
    known = estimator.get_params()
    named = {known_parameter(name, known, learner_id): word for name, word in params.items()}
    given = {name: word if _is_choice(entry.cls, name, word) else parse_value(word) for name, word in named.items()}
    common = {"random_state": seed, "n_jobs": jobs}
    estimator.set_params(**{name: value for name, value in common.items() if name in known})
    estimator.set_params(**given)
    check_parameters(estimator)
    return estimator


def _is_choice(cls: Any, name: str, word: str) -> bool:
    """Return whether a word is one of the texts that a parameter may be: "none" may be such a text, and no None."""
    limits = cls._parameter_constraints.get(name, [])
    return any(isinstance(each, StrOptions) and word in each.options for each in limits if not isinstance(limits, str))


def known_parameter(name: str, known: Mapping[str, Any], learner_id: str) -> str:
    """Return the name of a parameter as Python writes it; one that the learner does not have is refused."""
    name = name.replace("-", "_")
    if name not in known:
        hint = did_you_mean(name, sorted(known), otherwise="it has", most=len(known))
        raise InputError(f"{learner_id} has no parameter {name!r}: {hint}")
    return name


def parse_value(word: str) -> Any:
    """Read a number, inf, true, false, none, or a Python literal; anything else is text.

    >>> parse_value("0.5"), parse_value("none"), parse_value("gini")
    (0.5, None, 'gini')
    """
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def check_parameters(estimator: Any) -> None:
    """Compare the parameters with the limits that the learner declares, before any table is read."""
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise InputError(str(error)) from None
