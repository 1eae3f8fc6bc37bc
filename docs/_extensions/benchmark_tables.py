"""Tables of the benchmark page, made from ``benchmarks/results.csv`` and ``machine.csv`` when the site is built."""

from __future__ import annotations

import ast
import csv
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FOLDER = Path(__file__).parents[2] / "benchmarks"
_UNITS = ((1, "s"), (1e3, "ms"), (1e6, "µs"))
# Too many lines for a table: the page has a chart of them.
DRAWN = ("growth",)
# What the front page shows: words for the task, and which lines of the results they stand for (benchmark, task, who).
HEADLINES = (
    ("Train a decision tree, 150 000 rows × 30", "tree", "continuous 150000 x 30, 1 thread", "scikit-learn"),
    ("Train C4.5 on adult", "tree", "C4.5 on adult, 1 thread", "Weka J48"),
    ("Train a random forest, 150 000 rows × 30", "forest", "fit 100 trees, 150000 x 30", "scikit-learn"),
    ("Boost 100 rounds, 1 000 000 rows × 30", "boosting", "fit 100 rounds, 1000000 x 30, 2 classes", "LightGBM"),
    ("Train an additive model on adult", "additive", "fit additive model, adult", "interpret"),
    ("Induce RIPPER rules on adult", "rules", "RIPPER on adult, 1 thread", "Weka JRip"),
    (
        "Train a random forest out of core, 10 000 000 rows × 20",
        "scale_peers",
        "random-forest 10000000 x 20",
        "pyspark 4.3.0",
    ),
    ("Predict one row with a forest of 100 trees", "latency", "random forest, 100 trees", "scikit-learn, one-hot"),
)


def results() -> dict[str, list[dict[str, str]]]:
    """Return the lines of the file, by benchmark."""
    with (FOLDER / "results.csv").open(newline="", encoding="utf-8") as file:
        lines = sorted(csv.DictReader(file), key=lambda line: line["benchmark"])
    return {name: list(group) for name, group in groupby(lines, key=lambda line: line["benchmark"])}


def purpose(name: str) -> str:
    """Return what a benchmark measures: the docstring of its module."""
    return ast.get_docstring(ast.parse((FOLDER / "tasks" / f"{name}.py").read_text(encoding="utf-8"))) or name


def markdown(name: str) -> str:
    """Return one benchmark as a table: our row first in each task, and the ratio of each other row to it."""
    lines = ["| task | who | threads | seconds | score | × ours |", "|---|---|--:|--:|--:|--:|"]
    last = ""
    rows = results()[name]
    order = list(dict.fromkeys(row["task"] for row in rows))
    for line in sorted(rows, key=lambda row: (order.index(row["task"]), row["who"] != "vaglio")):
        ours = line["who"] == "vaglio"
        who = "**vaglio**" if ours else line["who"]
        task, last = ("" if line["task"] == last else line["task"]), line["task"]
        score = f"{float(line['score']):.4g}" if line["score"] else ""
        ratio = "" if ours or not line["ratio"] else f"{float(line['ratio']):.2f}"
        lines.append(f"| {task} | {who} | {line['threads']} | {float(line['seconds']):.3g} | {score} | {ratio} |")
    return "\n".join(lines)


def headlines() -> str:
    """Return the table of the front page; a line that the last run did not measure is an error."""
    measured = {(name, row["task"], row["who"]): row for name, rows in results().items() for row in rows}
    lines = ["| task | vaglio | compared with | its time | faster by |", "|---|--:|---|--:|--:|"]
    for words, name, task, who in HEADLINES:
        ours, other = measured[name, task, "vaglio"], measured[name, task, who]
        if ours["threads"] != other["threads"]:
            raise ValueError(f"{task}: the front page compares equal numbers of threads")
        times = [_time(float(row["seconds"])) for row in (ours, other)]
        lines.append(f"| {words} | {times[0]} | {who} | {times[1]} | {float(other['ratio']):.3g} × |")
    return "\n".join(lines)


def _time(seconds: float) -> str:
    return next(f"{seconds * factor:.3g} {unit}" for factor, unit in _UNITS if seconds * factor >= 1)


def machine() -> str:
    """Return the machine and versions of the last run, as the runner wrote them."""
    with (FOLDER / "machine.csv").open(newline="", encoding="utf-8") as file:
        return "\n".join(["| | |", "|---|---|", *(f"| {what} | {value} |" for what, value in csv.reader(file))])


class Benchmarks(SphinxDirective):
    """Writes one section per benchmark."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(FOLDER / "results.csv"))
        return [self._section(name) for name in results() if name not in DRAWN]

    def _section(self, name: str) -> nodes.section:
        section = nodes.section(ids=[f"benchmark-{name}"], classes=["benchmark"])
        section += nodes.title(text=name.replace("_", " "))
        section += self.parse_text_to_nodes(purpose(name))
        section += self.parse_text_to_nodes(markdown(name))
        section += self.parse_text_to_nodes(f"To repeat it: `make bench TASK={name}`.")
        return section


class Headlines(SphinxDirective):
    """Writes the table of the front page."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(FOLDER / "results.csv"))
        return list(self.parse_text_to_nodes(headlines()))


class Benchmark(SphinxDirective):
    """Writes the table of one benchmark, where another page is about it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(FOLDER / "results.csv"))
        name = self.arguments[0]
        shown = markdown(name) if name in results() else "The last run of the benchmarks did not measure it."
        return list(self.parse_text_to_nodes(f"{shown}\n\nTo repeat it: `make bench TASK={name}`."))


class Machine(SphinxDirective):
    """Writes the table of the machine and the versions."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(FOLDER / "machine.csv"))
        return list(self.parse_text_to_nodes(machine()))


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("benchmarks", Benchmarks)
    app.add_directive("benchmark", Benchmark)
    app.add_directive("benchmark-headlines", Headlines)
    app.add_directive("benchmark-machine", Machine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
