"""The parameters of a learner as fields of a form: what may be filled in, from the limits that the class declares."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Hidden, Interval, Options, StrOptions

from vaglio.learners.parameter_limits import parameter_names
from vaglio.learners.parameters import entries_of
from vaglio.learners.registry import find

__all__ = ["ParameterField", "parameter_fields"]

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


def parameter_fields(learner_id: str) -> list[ParameterField]:
    """Return the fields of a learner, in the order of its documentation; what only a program can give is left out.

    Parameters
    ----------
    learner_id : str

    Examples
    --------
    >>> depth = next(field for field in parameter_fields("c45") if field.name == "max_depth")
    >>> depth.default, depth.number
    (None, 'whole')
    """
    entry = find(learner_id)
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


def _field(name: str, meaning: str, default: Any, alternatives: Any) -> ParameterField | None:
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
