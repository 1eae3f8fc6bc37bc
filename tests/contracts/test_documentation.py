"""Every public class, method and function documents its parameters, in numpydoc's form and with the true defaults."""

from __future__ import annotations

import ast
import inspect
import pydoc
import warnings
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString
from sklearn.base import BaseEstimator, clone, is_regressor
from tests.contracts.estimators import all_estimators, name_of

import vaglio

PUBLIC = {name: getattr(vaglio, name) for name in vaglio.__all__ if callable(getattr(vaglio, name))}
ESTIMATORS = [thing for thing in PUBLIC.values() if isinstance(thing, type) and issubclass(thing, BaseEstimator)]
METHODS = {
    f"{cls.__name__}.{name}": member
    for cls in ESTIMATORS
    for name, member in inspect.getmembers(cls, inspect.isfunction)
    if not name.startswith("_") and member.__module__.startswith("vaglio.")
}


def parameters(thing: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    taken = inspect.signature(thing).parameters
    return {name: item for name, item in taken.items() if name != "self" and item.kind is not item.VAR_KEYWORD}


def documented(thing: Callable[..., Any]) -> dict[str, Any]:
    """Return the entry of each parameter; an entry may describe several, as in ``X, y : array-like``."""
    text = NumpyDocString(inspect.getdoc(thing) or "")
    # The fields of a frozen dataclass may be described once, as attributes.
    entries = text["Parameters"] or (text["Attributes"] if is_dataclass(thing) else [])
    names = ((name, entry) for entry in entries for name in entry.name.split(", "))
    return {name: entry for name, entry in names if not name.startswith("**")}


def stated_default(kind: str) -> Any:
    """Return the default that an entry names; a value that is no plain Python value raises."""
    return ast.literal_eval(kind.split("default=")[1])


def test_every_parameter_is_documented_and_no_other() -> None:
    for name, thing in (PUBLIC | METHODS).items():
        assert set(documented(thing)) == set(parameters(thing)), name
        for entry in documented(thing).values():
            assert entry.type, f"{entry.name} of {name} has no type"


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_entries_follow_the_signature_with_its_defaults_and_a_description(cls: type) -> None:
    taken, entries = parameters(cls), documented(cls)
    assert list(entries) == list(taken)
    for name, entry in entries.items():
        assert stated_default(entry.type) == taken[name].default, name
        assert entry.desc, f"{name} has no description"


def test_stated_defaults_are_the_true_ones() -> None:
    for name, thing in (PUBLIC | METHODS).items():
        for entry in documented(thing).values():
            if "default=" in entry.type:
                assert stated_default(entry.type) == parameters(thing)[entry.name].default, f"{entry.name} of {name}"


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_help_shows_the_completed_docstring(cls: type) -> None:
    text = pydoc.plain(pydoc.render_doc(cls))
    for name in parameters(cls):
        assert f"{name} : " in text


@pytest.mark.slow
@pytest.mark.parametrize("estimator", all_estimators(), ids=name_of)
def test_fitted_attributes_are_documented(estimator: Any) -> None:
    estimator = clone(estimator)  # the instance of the parametrisation stays unfitted, and keeps no model alive
    table = vaglio.datasets.load("play")
    X, y = table.xy("play")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, [float(label == "yes") for label in y] if is_regressor(estimator) else y)
    cls = type(estimator)
    found = {name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")}
    found |= {item.name for item in fields(cls) if not item.init and not item.name.startswith("_")}
    found |= {name for name, member in inspect.getmembers(cls) if name.endswith("_") and isinstance(member, property)}
    found -= {name for name in found if name.startswith("_")}
    listed = {entry.name: entry for entry in NumpyDocString(inspect.getdoc(cls) or "")["Attributes"]}
    assert found <= set(listed)
    for entry in listed.values():
        assert entry.desc, f"{entry.name} has no description"
