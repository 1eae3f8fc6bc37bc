"""A plugin of pytest: replaces the classes before any test is collected, and writes down what became of each test.

``DROPIN_CLASSES=plain`` puts empty subclasses of scikit-learn's own classes in place: this tells which tests reach one
of the classes, and which fail with any class but scikit-learn's. ``DROPIN_CLASSES=vaglio`` puts those of
``vaglio.sklearn`` in place, ``DROPIN_CLASSES=table-first`` those of ``vaglio``.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_limits

from tools.dropin.outcomes import read_applicable
from tools.dropin.reach import reaching
from tools.dropin.targets import NAMES, TARGETS

# No single test needs longer; one that hangs must not hold up the others. Seconds of computing, so that
# what else the machine does makes no test fail.
SECONDS_PER_TEST = 120
# Documented differences that a parameter turns off are turned off: numbers can then be compared.
_SWITCHES = {"preprocess": None}
_BOOSTING = {
    "average_folds": False,
    "early_stopping": False,  # scikit-learn does not stop early on the small tables of its tests
    "l2_regularization": 0.0,
    "learning_rate": 0.1,
    "max_bins": 255,
    "max_features": 1.0,
    "max_iter": 100,
    "max_leaf_nodes": 31,
    "min_samples_leaf": 20,
    "n_iter_no_change": 10,
    "n_models": 1,
    "subsample": 1.0,
}
_SWITCHES_OF_CLASS: dict[str, dict[str, Any]] = {
    "HistGradientBoostingClassifier": {**_BOOSTING, "temperature": 1.0},
    "HistGradientBoostingRegressor": _BOOSTING,
    "RandomForestRegressor": {"max_features": 1.0},
}
# The test in which the classes are used now, and whether one was made or trained in it.
_reached = False


def _reach() -> None:
    global _reached
    _reached = True


class _Plain:
    """Placed before scikit-learn's class: says when an object is made, which sets its parameters, or trained."""

    def __setattr__(self, name: str, value: Any) -> None:
        _reach()
        object.__setattr__(self, name, value)

    def __getattribute__(self, name: str) -> Any:
        if name == "fit":
            _reach()
        return object.__getattribute__(self, name)


def _put_plain_classes() -> None:
    for module, names in TARGETS.items():
        theirs: Any = importlib.import_module(f"sklearn.{module}")
        for name in names:
            original = getattr(theirs, name)
            made = type(name, (_Plain, original), {"__module__": __name__, "__doc__": original.__doc__})
            globals()[name] = made
            setattr(theirs, name, made)


def _put_our_classes() -> None:
    import vaglio.sklearn
    from vaglio.sklearn._preset import Preset

    vaglio.sklearn.patch()
    changed: Any = Preset
    changed.__setattr__ = _Plain.__setattr__
    changed.__getattribute__ = _Plain.__getattribute__


def _put_table_first_classes() -> None:
    import vaglio
    from vaglio.learners.parameters import estimator

    # What scikit-learn builds of its own trees keeps them: a program that changes an import changes no more.
    modules: dict[str, Any] = {module: importlib.import_module(f"sklearn.{module}") for module in TARGETS}
    for module, names in TARGETS.items():
        for name in names:
            if hasattr(vaglio, name):
                ours = getattr(vaglio, name)
                known = ours().get_params()
                switched: dict[str, Any] = {key: value for key, value in _SWITCHES.items() if key in known}
                switched |= _SWITCHES_OF_CLASS.get(name, {})
                body = {
                    "__module__": __name__,
                    "__doc__": ours.__doc__,
                    "__annotations__": dict.fromkeys(switched, Any),
                }
                made = _saying(estimator(type(name, (_Plain, ours), body | switched)))
                globals()[name] = made
                setattr(modules[module], name, made)


def _saying(made: Any) -> Any:
    """Let a class say that it is reached also where it refuses what it is made with."""
    make = made.__init__

    @wraps(make)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        _reach()
        make(self, *args, **kwargs)

    made.__init__ = __init__
    return made


def __getattr__(name: str) -> Any:
    """Make the classes in a worker process that is handed an object of one of them."""
    if os.environ.get("DROPIN_CLASSES") == "table-first" and any(name in names for names in TARGETS.values()):
        _put_table_first_classes()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _take_one_cpu() -> None:
    """Keep to one CPU: files run at the same time, and threads that wait for each other would only wait longer."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[os.getpid() % len(allowed)]})


@pytest.hookimpl(trylast=True)
def pytest_sessionstart() -> None:
    """Keep to one thread: scikit-learn's tests ask for as many as the machine has, which would spin on one CPU."""
    threadpool_limits(1)


def pytest_configure(config: pytest.Config) -> None:
    _take_one_cpu()
    if not hasattr(config, "workerinput"):  # scikit-learn is imported by nothing before this
        put = {"plain": _put_plain_classes, "vaglio": _put_our_classes, "table-first": _put_table_first_classes}
        put[os.environ["DROPIN_CLASSES"]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that cannot reach a class, cases of common tests about others, and what a former run has done."""
    kept = [item for item in items if _may_reach(item)]
    done = _done()
    kept = [item for item in kept if item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _may_reach(item: pytest.Item) -> bool:
    if "test_common.py" in item.nodeid:
        return NAMES.search(item.nodeid) is not None
    function = item.nodeid.partition("[")[0]
    name = function.split("::")[1]  # of the function, or of the class it stands in
    return function in read_applicable() or name in reaching(item.path)


def _done() -> set[str]:
    """Return the tests that are written down already."""
    results = Path(os.environ["DROPIN_RESULTS"])
    if not results.exists():
        return set()
    return {json.loads(line)["test"] for line in results.read_text(encoding="utf-8").splitlines()}


def _too_long(number: int, frame: Any) -> None:
    raise TimeoutError(f"the test computed for longer than {SECONDS_PER_TEST} seconds")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    global _reached
    _reached = False
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_TEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when != "call" and report.outcome == "passed":
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    entry = {
        "test": report.nodeid.replace("\\", "/"),
        "outcome": report.outcome,
        "reached": _reached,
        "message": "" if report.outcome != "failed" else str(getattr(crash, "message", report.longrepr))[:2000],
        "seconds": round(report.duration, 2),
    }
    with Path(os.environ["DROPIN_RESULTS"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
