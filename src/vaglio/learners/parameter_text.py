"""The parameters of a learner as people type them: words of a command, and fields of a form with their limits."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from sklearn.utils._param_validation import Hidden, Interval, InvalidParameterError, Options, StrOptions

from vaglio.errors import InputError
from vaglio.learners.parameters import entries_of, parameter_names
from vaglio.learners.registry import find
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.model.families import Task

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator

# How people write them; Python's own None, True and False are literals anyway.
_WORDS = {"none": None, "true": True, "false": False, "inf": math.inf, "-inf": -math.inf}


def learner_from_words(
    learner_id: str,
    params: Mapping[str, str],
    seed: int,
    jobs: int | None,
    *,
    textbook: bool = False,
    task: Task = "classification",
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
        Whether what is not given is as in the textbook, and not as in the registry.
    task : {"classification", "regression"}

    Examples
    --------
    >>> learner_from_words("c45", {"min-samples-leaf": "5"}, 0, 1).min_samples_leaf
    5
    """
    entry = find(learner_id, task)
    estimator = entry.make(textbook=textbook)
    known = estimator.get_params()
    named = {known_parameter(name, known, learner_id): word for name, word in params.items()}
    given = {name: word if _is_choice(entry.cls, name, word) else parse_value(word) for name, word in named.items()}
    common = {"random_state": seed, "n_jobs": jobs}
    estimator.set_params(**{name: value for name, value in common.items() if name in known})
    estimator.set_params(**given)
    check_parameters(estimator)
    return estimator


def learner_settings(learner: str) -> tuple[str, dict[str, str]]:
    """Return the id of a learner and its parameters as typed, of ``ID`` or ``ID:NAME=VALUE,NAME=VALUE``.

    >>> learner_settings("c45:max_depth=3, pruning=none")
    ('c45', {'max_depth': '3', 'pruning': 'none'})
    """
    learner_id, _, settings = learner.partition(":")
    given = {}
    for word in filter(None, settings.split(",")):
        name, equals, value = word.partition("=")
        if not equals:
            raise InputError(
                "learner-setting",
                "{learner!r}: {word!r} is no setting. Write ID:NAME=VALUE,NAME=VALUE, for example c45:max_depth=3.",
                learner=learner,
                word=word,
            )
        given[name.strip()] = value.strip()
    return learner_id, given


def _is_choice(cls: Any, name: str, word: str) -> bool:
    """Return whether a word is one of the texts that a parameter may be: "none" may be such a text, and no None."""
    limits = cls._parameter_constraints.get(name, [])
    return any(isinstance(each, StrOptions) and word in each.options for each in limits if not isinstance(limits, str))


def known_parameter(name: str, known: Mapping[str, Any], learner_id: str) -> str:
    """Return the name of a parameter as Python writes it; one that the learner does not have is refused."""
    name = name.replace("-", "_")
    if name not in known:
        hint = did_you_mean(name, sorted(known), otherwise=text("it has"), most=len(known))
        raise InputError(
            "unknown-parameter",
            "{learner} has no parameter {name!r}: {hint}",
            learner=learner_id,
            name=name,
            hint=hint,
        )
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


def check_parameters(estimator: VaglioEstimator) -> None:
    """Compare the parameters with the limits that the learner declares, before any table is read."""
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise InputError(str(error)) from None


# Set for all learners at once, or of no use in a form.
_LEFT_OUT = ("random_state", "n_jobs", "verbose", "warm_start")


@dataclass(frozen=True)
class ParameterField:
    """One parameter.

    Attributes
    ----------
    name : str
    meaning : str
        What it does, in a sentence or two.
    default : object
        What it is unless it is filled in.
    choices : tuple of str
        Words that it may be; the only values if ``number`` is "".
    number : {"", "whole", "real"}
        Whether numbers are allowed.
    low, high : float or None
        Their limits.
    """

    name: str
    meaning: str
    default: Any
    choices: tuple[str, ...] = ()
    number: str = ""
    low: float | None = None
    high: float | None = None


def parameter_fields(learner_id: str, task: Task = "classification") -> list[ParameterField]:
    """Return the fields of a learner, in the order of its documentation; what only a program can give is left out.

    Parameters
    ----------
    learner_id : str
    task : {"classification", "regression"}

    Examples
    --------
    >>> depth = next(field for field in parameter_fields("c45") if field.name == "max_depth")
    >>> depth.default, depth.number
    (None, 'whole')
    """
    entry = find(learner_id, task)
    documented = entries_of(entry.cls.__doc__, "Parameters")
    defaults = entry.make().get_params(deep=False)
    limits = entry.cls._parameter_constraints
    order = [name for name in documented if name in defaults]
    order += [name for name in parameter_names(entry.cls) if name not in documented]
    found = []
    for name in order:
        if name in _LEFT_OUT or name not in limits:
            continue
        field = _field(name, " ".join(documented.get(name, ("", ""))[1].split()), defaults[name], limits[name])
        if field is not None:
            found.append(field)
    return found


def _field(name: str, meaning: str, default: object, alternatives: Any) -> ParameterField | None:
    words: list[str] = []
    numbers: list[Interval] = []
    for each in alternatives if isinstance(alternatives, list) else []:
        if isinstance(each, (StrOptions, Options)):
            words += sorted(str(option) for option in each.options)
        elif isinstance(each, str) and each == "boolean":
            words += ["True", "False"]
        elif each is None:
            words.append("None")
        elif isinstance(each, Interval) and not isinstance(each, Hidden):
            numbers.append(each)
        elif each is Integral:
            numbers.append(Interval(Integral, None, None, closed="neither"))
    if (not words and not numbers) or (words == ["None"] and not numbers):
        return None
    lows, highs = [each.left for each in numbers], [each.right for each in numbers]
    return ParameterField(
        name,
        meaning,
        default,
        tuple(dict.fromkeys(words)),
        "" if not numbers else "whole" if all(each.type is Integral for each in numbers) else "real",
        None if not lows or None in lows else float(min(lows)),
        None if not highs or None in highs else float(max(highs)),
    )
