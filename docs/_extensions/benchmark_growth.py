"""The chart of the benchmark page: time of a fit against rows, from ``benchmarks/results.csv``."""

from __future__ import annotations

import io
from collections import defaultdict
from typing import Any

import matplotlib as mpl
from benchmark_tables import FOLDER, results
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

Points = list[tuple[int, float]]


def curves() -> dict[str, dict[str, Points]]:
    """Return rows and seconds by learner and library; nothing if the task `growth` has not been run."""
    found: dict[str, dict[str, Points]] = defaultdict(lambda: defaultdict(list))
    for line in results().get("growth", ()):
        learner, _, rows = line["task"].removesuffix(" rows").rpartition(", ")
        found[learner][line["who"]].append((int(rows), float(line["seconds"])))
    return {learner: {who: sorted(points) for who, points in by_who.items()} for learner, by_who in found.items()}


def chart(found: dict[str, dict[str, Points]], columns: int = 3) -> str:
    """Return one small chart per learner as SVG, all with the same axes: ours is dark, the peers are lighter."""
    from matplotlib.figure import Figure

    from vaglio.plot.style import INK, PALETTE, quiet

    lines = -(-len(found) // columns)
    with mpl.rc_context({"svg.hashsalt": "vaglio", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(3.0 * columns, 2.3 * lines), layout="constrained")
        grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
        libraries = list(dict.fromkeys(_library(who) for by_who in found.values() for who in by_who))
        peers = [name for name in libraries if name != "vaglio"]
        colours = {"vaglio": INK} | dict(zip(peers, PALETTE * 3))
        for axes, (learner, by_who) in zip(grid, found.items()):
            for who, points in by_who.items():
                name = _library(who)
                axes.loglog(
                    *zip(*points), ".-", color=colours[name], label=name, linewidth=2.0 if name == "vaglio" else 1.2
                )
            axes.set_title(learner)
            axes.legend(frameon=False, fontsize=6)
            quiet(axes)
        for axes in grid[len(found) :]:
            axes.remove()
        figure.supxlabel("rows")
        figure.supylabel("seconds of a fit")
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()[file.getvalue().index("<svg") :]


def _library(who: str) -> str:
    """Return the name of a library without its version."""
    return " ".join(word for word in who.replace(",", "").split() if not word[0].isdigit())


class Growth(SphinxDirective):
    """Draws the chart where the results have one."""

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(FOLDER / "results.csv"))
        found = curves()
        if not found:
            return list(self.parse_text_to_nodes("No run of `make bench TASK=growth` is recorded yet."))
        return [nodes.raw("", chart(found), format="html")]


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("benchmark-growth", Growth)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
