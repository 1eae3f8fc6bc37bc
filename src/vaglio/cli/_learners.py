"""``--learner``, ``--set`` and ``--try``: learners and their parameters from words on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vaglio.cli._options import UsageError, pair

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator


@contextmanager
def wrong_use() -> Iterator[None]:
    """An unknown learner or a wrong parameter is wrong use of the command."""
    from vaglio.errors import InputError

    try:
        yield
    except InputError as error:
        raise UsageError(error.message) from None


def make_learner(
    learner_id: str, settings: list[str] | None, seed: int, jobs: int | None, *, textbook: bool = False
) -> Any:
    """Return the estimator with this id and these parameters; a wrong one is wrong use of the command.

    Parameters that are not given are those of the registry, or with ``textbook`` those of the textbook.
    """
    from vaglio.learners.parameter_text import learner_from_words

    given = dict(pair(text, "--set") for text in settings or [])
    with wrong_use():
        return learner_from_words(learner_id, given, seed, jobs, textbook=textbook)


def learner_ids(given: list[str] | None) -> list[str]:
    """The learners named, each once; one per family if none is named, all of them for 'all'."""
    from vaglio.errors import InputError
    from vaglio.learners.registry import LEARNERS, ONE_PER_FAMILY, find

    if not given:
        return list(ONE_PER_FAMILY)
    if "all" in given:
        return list(LEARNERS)
    try:
        for name in given:
            find(name.partition(":")[0])
        return list(dict.fromkeys(given))
    except InputError as error:
        raise UsageError(error.message) from None


def search_space(
    learner_id: str, tried: list[str] | None, fixed: list[str] | None, estimator: VaglioEstimator
) -> dict[str, Any]:
    """What ``tune`` tries: the values ``--try`` names, else those of the registry without what ``--set`` fixes."""
    from vaglio.learners.parameter_text import check_parameters, known_parameter
    from vaglio.learners.registry import find

    known = estimator.get_params()
    with wrong_use():
        settled = {known_parameter(pair(text, "--set")[0], known, learner_id) for text in fixed or []}
        if not tried:
            return {name: values for name, values in find(learner_id).search_space.items() if name not in settled}
        space = {}
        for text in tried:
            typed, values = pair(text, "--try")
            name = known_parameter(typed, known, learner_id)
            space[name] = values_of(values)
            for value in space[name]:
                check_parameters(type(estimator)(**{name: value}))
    return space


def values_of(text: str) -> list[Any]:
    """Values separated by commas, or a Python list, in which a value may itself contain commas."""
    from vaglio.learners.parameter_text import parse_value

    whole = parse_value(text)
    if isinstance(whole, (list, tuple)):
        return list(whole)
    return [parse_value(word.strip()) for word in text.split(",") if word.strip()]
