"""The topics of exercises, by name, and the function that makes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vaglio.document.notation import Notation
from vaglio.errors import InputError
from vaglio.exercises.sheet import Draft, Exercise
from vaglio.exercises.topics import bayes, ensembles, estimates, linear, measures, neighbors, rules, trees
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import did_you_mean

__all__ = ["exercise", "topics"]

LEVELS = (1, 2, 3)
_MOST_SEED = 2**32 - 1

Write = Callable[[Draft, np.random.Generator, int], None]


@dataclass(frozen=True)
class Topic:
    """What an exercise is about.

    Attributes
    ----------
    title : str
    write : callable
        Draws numbers and adds what is given and the questions; a higher level asks more.
    """

    title: str
    write: Write


TOPICS: dict[str, Topic] = {
    "id3": Topic(text("A tree by information gain (ID3)"), trees.id3),
    "c45": Topic(text("Gain ratio (C4.5)"), trees.c45),
    "cart": Topic(text("A split by the Gini index (CART)"), trees.cart),
    "pruning": Topic(text("Pruning a tree"), trees.pruning),
    "foil": Topic(text("Rules by the FOIL gain"), rules.foil),
    "cn2": Topic(text("Conditions of CN2"), rules.cn2),
    "ripper": Topic(text("Pruning a rule (RIPPER)"), rules.ripper),
    "naive-bayes": Topic(text("Naive Bayes, with and without smoothing"), bayes.naive),
    "multinomial-nb": Topic(text("Naive Bayes of documents"), bayes.documents),
    "joint-bayes": Topic(text("Probabilities from a joint table"), bayes.joint),
    "bayes": Topic(text("Bayes' theorem"), bayes.theorem),
    "gaussian-map": Topic(text("Two normal densities"), bayes.gaussian),
    "perceptron": Topic(text("An epoch of the perceptron"), linear.perceptron),
    "logistic": Topic(text("A step of logistic regression"), linear.logistic),
    "mlp": Topic(text("The forward pass of a network"), linear.network),
    "svm": Topic(text("Margin and support vectors"), linear.margin),
    "kernel": Topic(text("A kernel as a dot product"), linear.kernel),
    "knn": Topic(text("Nearest neighbours"), neighbors.nearest),
    "bagging": Topic(text("Bootstrap samples and votes"), ensembles.bagging),
    "random-forest": Topic(text("Similarity in a random forest"), ensembles.forest),
    "adaboost": Topic(text("A round of AdaBoost"), ensembles.adaboost),
    "metrics": Topic(text("Measures of a confusion matrix"), measures.metrics),
    "roc": Topic(text("ROC curve and lift"), measures.ranking),
    "folds": Topic(text("Cross-validation and bootstrap"), estimates.folds),
    "significance": Topic(text("Accuracy with an interval"), estimates.interval),
}


def topics() -> dict[str, str]:
    """Return the topics of exercises with their titles.

    Examples
    --------
    >>> from vaglio.exercises import topics
    >>> topics()["knn"]
    'Nearest neighbours'
    """
    return {name: topic.title for name, topic in TOPICS.items()}


def exercise(topic: str, *, seed: int = 0, level: int = 1, lang: str = "en") -> Exercise:
    """Make an exercise, with questions, answers and the worked solution.

    Parameters
    ----------
    topic : str
        One of :func:`topics`.
    seed : int, default=0
        Another seed makes another exercise of the same kind; one per student, for example.
    level : {1, 2, 3}, default=1
        1 asks for single figures, 2 for choices, 3 for the whole method.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Exercise

    Examples
    --------
    >>> from vaglio.exercises import exercise
    >>> sheet = exercise("id3", seed=17)
    >>> len(sheet.questions), sheet.questions[0].answer.accepts("0,881")
    (4, True)
    """
    known = TOPICS.get(topic) if isinstance(topic, str) else None
    if known is None:
        raise InputError(
            "unknown-topic",
            "There is no exercise on {topic!r}: {hint}",
            topic=topic,
            hint=did_you_mean(str(topic), list(TOPICS)),
        )
    if level not in LEVELS:
        raise InputError("unknown-exercise-level", "The level must be 1, 2 or 3, got {level!r}.", level=level)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed <= _MOST_SEED:
        raise InputError(
            "exercise-seed", "The seed must be an integer between 0 and 4294967295, got {seed!r}.", seed=seed
        )
    say = Notation(lang)
    draft = Draft(say)
    # The name of the topic is part of the seed, so that two topics do not share their numbers.
    known.write(draft, np.random.default_rng([int(seed), level, *topic.encode()]), level)
    title = say.text(known.title) if isinstance(known.title, Message) else known.title
    return Exercise(
        topic, int(seed), level, lang, title, tuple(draft.given), tuple(draft.questions), draft.facts, draft.trace
    )
