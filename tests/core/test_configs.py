"""Options cross to the kernels as objects: a keyword per field, checked when they are made, and sent as they are."""

from __future__ import annotations

import copy
import math
import pickle

import pytest

from vaglio import _core

CONFIGS = [
    _core.TreeConfig,
    _core.GrowthWeights,
    _core.BoostingConfig,
    _core.AdditiveConfig,
    _core.AdditiveStopping,
]

OTHERS = {"gini": "gain", "subset": "multiway", "learned": "fractional", "none": "error_based"}


def fields(config: object) -> dict[str, object]:
    return {name: getattr(config, name) for name in dir(config) if not name.startswith("_") and name != "replaced"}


@pytest.mark.parametrize("kind", CONFIGS)
def test_an_unknown_option_is_refused(kind: type) -> None:
    with pytest.raises(TypeError, match="incompatible"):
        kind(no_such_option=1)
    with pytest.raises(AttributeError):
        kind().no_such_option = 1
    with pytest.raises(AttributeError):
        kind().replaced(no_such_option=1)


@pytest.mark.parametrize("kind", CONFIGS)
def test_every_field_is_a_keyword_and_survives_the_way_to_another_process(kind: type) -> None:
    changed = {}
    for name, value in fields(kind()).items():
        if isinstance(value, bool):
            changed[name] = not value
        elif isinstance(value, int):
            changed[name] = value + 1 if value < 2**32 - 1 else 7
        elif isinstance(value, float):
            changed[name] = value + 0.25 if math.isfinite(value) else 3.0
        elif isinstance(value, list):
            changed[name] = [[0, 1]] if name == "interactions" else [1, 0]
        else:
            changed[name] = {"gini": "gain", "subset": "multiway", "learned": "fractional", "none": "error_based"}[
                value
            ]
    config = kind(**changed)
    assert fields(config) == changed
    assert fields(kind()) != changed
    for sent in (pickle.loads(pickle.dumps(config)), copy.copy(config), config.replaced()):
        assert fields(sent) == changed


def test_a_copy_with_other_values_leaves_the_original_alone() -> None:
    config = _core.TreeConfig(max_depth=3, monotonic=[1, -1])
    other = config.replaced(max_depth=4, seed=9)
    assert (config.max_depth, config.seed) == (3, 0)
    assert (other.max_depth, other.seed, other.monotonic) == (4, 9, [1, -1])


def test_names_of_values_are_checked() -> None:
    with pytest.raises(TypeError, match="Literal"):
        _core.TreeConfig(criterion="entropy")
    config = _core.TreeConfig()
    with pytest.raises(TypeError):
        config.missing = "ignored"
    with pytest.raises(TypeError):
        _core.TreeConfig(max_depth=-1)
    with pytest.raises(TypeError):
        _core.TreeConfig(pruning=3)
