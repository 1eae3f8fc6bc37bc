"""``--learner``, ``--set`` and ``--try``: learners and their parameters from words on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vaglio.cli._options import UsageError, pair

if TYPE_CHECKING:
    from vaglio.learners.estimator import VaglioEstimator
    from vaglio.model.families import Task


@contextmanager
def wrong_use() -> Iterator[None]:
    """An unknown learner or a wrong parameter is wrong use of the command."""
    from vaglio.errors import InputError

    try:
        yield
    except InputError as error:
        raise UsageError(error.message) from None


def make_learner(
    learner_id: str,
    settings: list[str] | None,
    seed: int,
    jobs: int | None,
    *,
    textbook: bool = False,
    task: Task = "classification",
) -> Any:
    """Return the estimator with this id and these parameters; a wrong one is wrong use of the command.

    Parameters that are not given are those of the registry, or with ``textbook`` those of the textbook.
    """
    from vaglio.learners.parameter_text import learner_from_words

    given = dict(pair(text, "--set") for text in settings or [])
    with wrong_use():
        return learner_from_words(learner_id, given, seed, jobs, textbook=textbook, task=task)


def check_learner(learner_id: str | None, settings: list[str] | None, textbook: bool, asked: str) -> None:
    """Refuse an unknown learner, or a wrong parameter, before a table is read.

    Which of two learners of one id is meant may be known only by the table: then one of them must have the parameters.
    """
    from vaglio.learners.registry import DEFAULT, tasks_of

    known: tuple[Any, ...] = (asked,) if asked != "auto" else ("classification", "regression")
    wrong: list[UsageError] = []
    for task in known:
        tasks = known if learner_id is None else tasks_of(learner_id) or known
        if asked == "auto" and task not in tasks:
            continue
        try:
            make_learner(learner_id or DEFAULT[task], settings, 0, 1, textbook=textbook, task=task)
        except UsageError as error:
            wrong.append(error)
        else:
            return
    raise wrong[0]


def learner_ids(given: list[str] | None, task: Task = "classification") -> list[str]:
    """The learners named, each once; one per family if none is named, all of them for 'all'."""
    from vaglio.errors import InputError
    from vaglio.learners.registry import ONE_PER_FAMILY, find, learners_of

    if not given:
        return list(ONE_PER_FAMILY[task])
    if "all" in given:
        return list(learners_of(task))
    try:
        for name in given:
            find(name.partition(":")[0], task)
        return list(dict.fromkeys(given))
    except InputError as error:
        raise UsageError(error.message) from None


def named_learners(given: list[str] | None) -> list[str]:
    """Those of the learners named that say what is predicted; an unknown one is refused before a table is read."""
    from vaglio.learners.registry import tasks_of

    named = [] if not given or "all" in given else given
    for name in named:
        if not tasks_of(name.partition(":")[0]):
            learner_ids([name])
    return named


def search_space(
    learner_id: str,
    tried: list[str] | None,
    fixed: list[str] | None,
    estimator: VaglioEstimator,
    task: Task = "classification",
) -> dict[str, Any]:
    """What ``tune`` tries: the values ``--try`` names, else those of the registry without what ``--set`` fixes."""
    from vaglio.learners.parameter_text import check_parameters, known_parameter
    from vaglio.learners.registry import find

    known = estimator.get_params()
    with wrong_use():
        settled = {known_parameter(pair(text, "--set")[0], known, learner_id) for text in fixed or []}
        if not tried:
            return {name: values for name, values in find(learner_id, task).search_space.items() if name not in settled}
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
