"""The tables that the panel prints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold

from benchmarks.panel.leave_out import DEFAULT, leave_tables_out
from benchmarks.panel.noise import measure_losses
from benchmarks.panel.pairs import Maker, Pair
from benchmarks.panel.records import Records
from benchmarks.panel.scores import Score, mean_and_error, mean_score
from benchmarks.panel.tables import PanelTable
from benchmarks.panel.winners import sides

# A default may be so many points below its peer, and one standard error more.
ALLOWED = 0.2
# Columns of noise may cost so many points, and one standard error more.
ALLOWED_FOR_NOISE = 1.0
# scikit-learn calibrates only where every class has a row in each fold.
CALIBRATION_FOLDS = 5


def enough(mean: float, error: float) -> bool:
    """Whether a default is not below its peer by more than is allowed."""
    return mean + error >= -ALLOWED


def _grid(title: str, left: tuple[str, ...], right: tuple[str, ...]) -> Grid:
    grid = Grid(title=title, title_justify="left")
    for heading in left:
        grid.add_column(heading)
    for heading in right:
        grid.add_column(heading, justify="right")
    return grid


def _figure(value: float, form: str = ".3f") -> str:
    return "" if np.isnan(value) else format(value, form)


def _difference(values: list[float]) -> str:
    mean, error = mean_and_error(values)
    return f"{mean:+.2f} ± {error:.2f}"


def _probabilities(score: Score) -> list[str]:
    return [_figure(score.log_loss), _figure(score.calibration_error), _figure(score.reliability, ".4f")]


def print_pairs(console: Console, pairs: list[Pair], tables: list[PanelTable], records: Records, each: bool) -> None:
    """Print two lines per pair: ours with the mean difference in accuracy and its standard error, and the peer."""
    sources = sorted({table.source for table in tables})
    title = f"defaults on {len(tables)} tables, {records.folds} folds, seeds {records.seeds}"
    figures = ("log loss", "calibration error", "reliability", "CPU s")
    grid = _grid(title, ("learner", "worst table"), ("accuracy", "difference", *sources, "enough", *figures))
    for pair in pairs:
        lines = [
            (table, records.score(pair.name, pair.ours, table), records.score(pair.peer, pair.theirs, table))
            for table in tables
        ]
        differences = [ours.accuracy - theirs.accuracy for _, ours, theirs in lines]
        ours, theirs = mean_score([own for _, own, _ in lines]), mean_score([their for _, _, their in lines])
        lowest = int(np.argmin(differences))
        by_source = [
            _difference([d for d, (table, _, _) in zip(differences, lines) if table.source == source])
            for source in sources
        ]
        grid.add_row(
            pair.name, f"{lines[lowest][0].name} {differences[lowest]:+.1f}", f"{ours.accuracy:.2f}",
            _difference(differences), *by_source, "yes" if enough(*mean_and_error(differences)) else "no",
            *_probabilities(ours), f"{ours.seconds * len(lines):.0f}",
        )  # fmt: skip
        blank = [""] * (len(sources) + 2)
        seconds = f"{theirs.seconds * len(lines):.0f}"
        grid.add_row(f"  {pair.peer}", "", f"{theirs.accuracy:.2f}", *blank, *_probabilities(theirs), seconds)
        if each:
            _print_each(console, pair, lines)
    console.print(grid)


def _print_each(console: Console, pair: Pair, lines: list[tuple[PanelTable, Score, Score]]) -> None:
    for table, own, their in lines:
        console.print(
            f"{pair.name:22} {pair.peer:30} {table.source:10} {table.name:24} {own.accuracy:6.2f} "
            f"{their.accuracy:6.2f} {own.accuracy - their.accuracy:+6.2f} "
            f"  log loss {own.log_loss:.3f} {their.log_loss:.3f}"
        )


def print_left_out(
    console: Console, pairs: list[Pair], tables: list[PanelTable], records: Records, wanted: str = ""
) -> None:
    """Print one line per default: what choosing on other tables would gain, and every candidate beside the default."""
    title = f"candidates of every default, {len(tables)} tables left out in groups, {records.folds} folds"
    left = ("learner", "chosen on the other tables", "candidate", "minus default", "log loss", "minus default")
    grid = _grid(title, left, ("gain", "justified"))
    for pair in pairs:
        if not pair.candidates:
            continue
        scores = {
            name: [records.score(record, make, table) for table in tables]
            for name, (record, make) in _candidates(pair).items()
            if name == DEFAULT or wanted in name
        }
        found = leave_tables_out({name: np.array([s.accuracy for s in one]) for name, one in scores.items()})
        chosen = sorted(found.chosen.items(), key=lambda item: -item[1])
        loss = [_figure(mean_score(one).log_loss) for one in scores.values()]
        own = f"{mean_score(scores[DEFAULT]).accuracy:.2f}"
        grid.add_row(
            pair.name,
            "\n".join(f"{name} ({count})" for name, count in chosen),
            "\n".join(scores),
            "\n".join([own, *(f"{mean:+.2f} ± {error:.2f}" for mean, error in found.each.values())]),
            "\n".join(loss),
            "\n".join(["", *(_losses_beside(one, scores[DEFAULT]) for name, one in scores.items() if name != DEFAULT)]),
            f"{found.gain:+.2f} ± {found.error:.2f}",
            "yes" if found.justified else "no",
        )
        grid.add_section()
    console.print(grid)


def _losses_beside(candidate: list[Score], default: list[Score]) -> str:
    """The mean difference in log loss with its standard error, and on how many tables it is lower and higher."""
    differences = [one.log_loss - other.log_loss for one, other in zip(candidate, default)]
    mean, error = mean_and_error(differences)
    lower, higher = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    return f"{mean:+.4f} ± {error:.4f} (lower {lower}, higher {higher})"


def _candidates(pair: Pair) -> dict[str, tuple[str, Maker]]:
    """Every candidate with the name of its records; the default has those of the pair."""
    others = {
        name: (f"{pair.name}: {name}", partial(pair.candidate, parameters))
        for name, parameters in pair.candidates.items()
    }
    return {DEFAULT: (pair.name, pair.ours), **others}


def print_calibrated(console: Console, pairs: list[Pair], tables: list[PanelTable], records: Records) -> None:
    """Print two lines per learner: its own probabilities, and those that scikit-learn makes of its scores by folds."""
    tables = [table for table in tables if _rows_of_rarest(table, records.folds) >= CALIBRATION_FOLDS]
    title = f"probabilities on the {len(tables)} tables with enough rows of every class, {records.folds} folds"
    grid = _grid(title, ("learner",), ("accuracy", "log loss", "calibration error", "reliability", "CPU s"))
    for pair in {pair.name: pair for pair in pairs}.values():
        for name, make in ((pair.name, pair.ours), (f"{pair.name}, calibrated", partial(_calibrated, pair))):
            scores = [records.score(name, make, table) for table in tables]
            mean = mean_score(scores)
            grid.add_row(name, f"{mean.accuracy:.2f}", *_probabilities(mean), f"{mean.seconds * len(scores):.0f}")
        grid.add_section()
    console.print(grid)


def _rows_of_rarest(table: PanelTable, folds: int) -> int:
    """Fewest rows that the rarest class has in a training part."""
    rows = int(np.unique(table.y, return_counts=True)[1].min())
    return rows - math.ceil(rows / folds)


def _calibrated(pair: Pair, seed: int) -> CalibratedClassifierCV:
    folds = StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=seed)
    return CalibratedClassifierCV(pair.ours(seed), method="sigmoid", cv=folds, ensemble=False)


def print_winners(console: Console, tables: list[PanelTable], records: Records, n_iter: int, each: bool) -> None:
    """Print one line per side: accuracy, and how the winner of ``select`` and of ``report`` stand against it."""
    found = {
        name: [records.score(name, make, table) for table in tables] for name, make in sides(n_iter).items()
    }  # fmt: skip
    ours = [name for name in found if name.startswith(("select", "report"))]
    title = f"nested cross-validation on {len(tables)} tables, {records.folds} outer folds, seeds {records.seeds}"
    grid = _grid(title, ("side",), ("accuracy", *(f"{name.split(',')[0]} minus this" for name in ours), "CPU s"))
    for name, scores in found.items():
        differences = [
            "" if own == name else _difference([a.accuracy - b.accuracy for a, b in zip(found[own], scores)])
            for own in ours
        ]
        mean = mean_score(scores)
        grid.add_row(name, f"{mean.accuracy:.2f}", *differences, f"{mean.seconds * len(scores):.0f}")
    if each:
        for i, table in enumerate(tables):
            console.print(f"{table.name:24} " + "  ".join(f"{scores[i].accuracy:6.2f}" for scores in found.values()))
    console.print(grid)


def print_noise(
    console: Console, makers: Mapping[str, Maker], tables: list[PanelTable], records: Records, added: list[int]
) -> None:
    """Print one line per learner: points lost by columns of noise, with the standard error over tables and seeds."""
    seeds = f"seeds {records.seeds} (learners) or {records.seeds[0]} (the others)"
    title = f"points lost by noise of n/4 values, {records.folds} folds, {seeds}: "
    headings = ("without", *(f"{k} columns" for k in added), "enough")
    grid = _grid(title + ", ".join(table.name for table in tables), ("learner",), headings)
    for name, losses in measure_losses(makers, tables, records, added).items():
        lost = [mean_and_error(losses[k]) for k in added]
        little = all(mean <= ALLOWED_FOR_NOISE + error for mean, error in lost)
        row = [f"{np.mean(losses[0]):.2f}", *(f"{mean:+.2f} ± {error:.2f}" for mean, error in lost)]
        grid.add_row(name, *row, "yes" if little else "no")
    console.print(grid)
