"""The box at the top of a learner's page: facts that are read from the program, so that they cannot be outdated.

::

    ```{learner} C45Classifier
    ```
"""

from __future__ import annotations

import inspect
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import vaglio
from vaglio.learners.registry import LEARNERS, Learner
from vaglio.tracing import learners as traced


def entry_of(name: str) -> Learner | None:
    """Return the registry entry of a class; regressors and imputers have none."""
    return next((entry for entry in LEARNERS.values() if entry.cls.__name__ == name), None)


def facts(name: str) -> list[tuple[str, str]]:
    """Return facts about a learner, as pairs of a label and a value in Markdown."""
    cls: Any = getattr(vaglio, name)
    entry = entry_of(name)
    takes = inspect.signature(cls).parameters
    answers = [("Python", f"`vaglio.{name}`")]
    if entry is not None:
        answers += [("Command line", f"`vaglio train TABLE --target CLASS --learner {entry.id}`")]
    inside = "preprocess" in takes and not hasattr(cls, "kneighbors")
    answers += [("Categories", "encoded inside, one column per category" if inside else "used directly")]
    if entry is not None or hasattr(cls, "predict"):
        answers += [("Sparse input", "yes" if cls._accepts_sparse else "no")]
        answers += [("Learns in batches", "`partial_fit`" if hasattr(cls, "partial_fit") else "no")]
        answers += [("Gives rules", "`rules()`" if hasattr(cls, "rules") else "no")]
    if entry is not None:
        shown = f"[`vaglio trace --learner {entry.id}`](../trace.md)" if entry.id in traced() else "no"
        answers += [("Trace", shown)]
    if entry is not None and entry.settings:
        given = ", ".join(f"`{key}={value!r}`" for key, value in entry.settings.items())
        answers += [("Set by the command line", f"{given} ([why](../defaults.md))")]
    if entry is not None and entry.textbook:
        told = "; ".join(f"`{key}={choice.value!r}`: {choice.why}" for key, choice in entry.textbook.items())
        answers += [("As the textbook has it (`--textbook`)", told)]
    if entry is not None and entry.search_space:
        tried = "; ".join(f"`{key}` {', '.join(str(v) for v in values)}" for key, values in entry.search_space.items())
        answers += [("Tried by `tune` and `select`", tried)]
    return answers


class LearnerFacts(SphinxDirective):
    """Writes :func:`facts` as a table."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        lines = ["| | |", "|---|---|", *(f"| {label} | {value} |" for label, value in facts(self.arguments[0]))]
        box = nodes.container(classes=["facts"])
        box += self.parse_text_to_nodes("\n".join(lines))
        return [box]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("learner", LearnerFacts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
