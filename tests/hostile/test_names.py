"""Names of columns and classes that mean something to matplotlib or to a spreadsheet."""

from __future__ import annotations

import ast
import csv
import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

import vaglio
from vaglio.cli.main import main
from vaglio.errors import InputError
from vaglio.evaluation import displays
from vaglio.plot.distributions import draw_matrix
from vaglio.plot.evaluation import draw_intervals, draw_mean_ranks
from vaglio.plot.network import plot_network
from vaglio.plot.style import axes_for, figure_bytes, panel_grid

FORMULAS = ["$x^{$", "$$", "a $ b $ c \\frac", "\\$", "$\\undefined$"]


def run(folder: Path, line: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([word.replace("FOLDER", str(folder)) for word in line.split()])
    assert not ended.value.code


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "evaluate FOLDER/t.csv --target c --folds 2 --out FOLDER/e.svg --out FOLDER/e.html --out FOLDER/e.png",
        "explore FOLDER/t.csv --target c --figure histograms --out FOLDER/x.pdf",
        *(
            pytest.param(f"explore FOLDER/t.csv --target c {words}", marks=pytest.mark.nightly)
            for words in (
                *(f"--figure {figure} --out FOLDER/x.pdf" for figure in ("boxes", "pairs", "associations")),
                "--out FOLDER/x.html",
            )
        ),
    ],
)
def test_dollars_in_names_are_drawn_as_they_are(words: str, tmp_path: Path) -> None:
    # Every formula is the name of a column and of a class.
    numbers = {formula: [(i * step) % 7 for i in range(40)] for step, formula in enumerate(FORMULAS, start=1)}
    table = pd.DataFrame({**numbers, "c": FORMULAS * 8})
    table.to_csv(tmp_path / "t.csv", index=False)
    run(tmp_path, words)


@pytest.mark.slow
def test_every_figure_of_ours_is_literal_and_powers_of_ten_are_not() -> None:
    for figure in (axes_for(None).figure, panel_grid(3)[0]):
        figure.axes[0].set_title("$\\undefined")
        figure.axes[0].set_ylabel("$\\undefined$")
        figure.axes[0].set_xscale("log")
        figure.axes[0].set_xlim(1, 1e6)
        figure.legend(handles=figure.axes[0].plot([1, 1e6], [1, 2], label="$\\undefined$"))
        figure.canvas.draw()
        powers = [label for label in figure.axes[0].get_xticklabels() if label.get_text()]
        assert all(label.get_parse_math() for label in powers)
        assert figure_bytes(figure, "svg")


def on_own_axes(draw: Any) -> None:
    """Draw on axes that a user made: what we write is no formula, what the user writes is one."""
    figure, ax = plt.subplots(layout="constrained")
    mine = figure.text(0, 0, "$x^2$")
    draw(ax)
    figure_bytes(figure, "svg")
    assert mine.get_parse_math()
    assert not any(text.get_parse_math() for text in figure.findobj(Text) if "undefined" in text.get_text())
    plt.close(figure)


WRONG = "$\\undefined$"


# The picture of distances has two panels of its own.
DISPLAYS = sorted(
    {name for name in displays.__all__ if name.endswith("Display")} - {"ForestDistanceDisplay", "TermDisplay"}
)


@pytest.mark.slow
@pytest.mark.parametrize("display", DISPLAYS)
def test_every_display_on_axes_of_the_user(display: str) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"{WRONG} a": rng.normal(size=40), f"{WRONG} b": rng.normal(size=40)})
    y = np.where(X.iloc[:, 0] > 0, f"{WRONG} yes", f"{WRONG} no")
    made, model = getattr(displays, display), vaglio.NaiveBayesClassifier().fit(X, y)
    if display == "PredictionErrorDisplay":
        number = X.iloc[:, 0].to_numpy()
        on_own_axes(lambda ax: made.from_estimator(vaglio.DecisionTreeRegressor().fit(X, number), X, number, ax=ax))
        return
    if display in ("LearningCurveDisplay", "ValidationCurveDisplay"):
        asked = {"param_name": "alpha", "param_range": [0.1, 1]} if display[0] == "V" else {}
        on_own_axes(lambda ax: made.from_estimator(vaglio.NaiveBayesClassifier(), X, y, cv=2, ax=ax, **asked))
    else:
        named = {} if display in ("ConfusionMatrixDisplay", "ScoreDensityDisplay") else {"name": WRONG}
        on_own_axes(lambda ax: made.from_estimator(model, X, y, ax=ax, **named))


def test_every_drawing_that_takes_axes_draws_names_as_they_are() -> None:
    """Whoever takes axes by `axes_for` says `draws_names`."""
    sources = [path for path in Path(vaglio.__file__).parent.rglob("*.py") if "axes_for(ax" in path.read_text()]
    undecorated = [
        f"{path.name}: {function.name}"
        for path in sources
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef) and function.name != "axes_for"
        if any(isinstance(call, ast.Name) and call.id == "axes_for" for call in ast.walk(function))
        if "draws_names" not in [each.id for each in function.decorator_list if isinstance(each, ast.Name)]
    ]
    assert len(sources) > 10
    assert not undecorated


@pytest.mark.slow
def test_drawings_of_plain_data_on_axes_of_the_user() -> None:
    names = [f"{WRONG} a", f"{WRONG} b", f"{WRONG} c"]
    on_own_axes(lambda ax: draw_matrix(ax, np.eye(3), names))
    on_own_axes(lambda ax: draw_intervals(ax, [(name, 0.0, 1.0, 2.0) for name in names], xlabel=WRONG))
    on_own_axes(lambda ax: draw_mean_ranks(ax, names, np.array([1.0, 2.0, 2.5]), 0.7))
    on_own_axes(lambda ax: plot_network(WRONG, names, [(names[0], names[1])], ax))


CELLS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=2", "plain", "a=b", "", "'quoted"]


def read_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_cells_for_a_spreadsheet_are_no_formulas(suffix: str, tmp_path: Path) -> None:
    table = pd.DataFrame({"=name": CELLS, "n": range(-5, 5)})
    vaglio.table.write(table, tmp_path / f"t.{suffix}", for_spreadsheet=True)
    text = (tmp_path / f"t.{suffix}").read_text()
    rows = list(csv.reader(text.splitlines(keepends=True), delimiter="," if suffix == "csv" else "\t"))
    assert rows[0] == ["'=name", "n"]
    words, numbers = zip(*rows[1:])
    # A number with a sign is a number in the spreadsheet too.
    assert [word for word in words if word[:1] in tuple("=+-@\t\r")] == ["+1"]
    assert words[6:] == ("plain", "a=b", "", "'quoted")
    assert [float(number) for number in numbers] == list(range(-5, 5))


def test_cells_for_a_program_are_exact(tmp_path: Path) -> None:
    vaglio.table.write(pd.DataFrame({"=name": CELLS}), tmp_path / "t.csv")
    assert [row[0] for row in read_rows(tmp_path / "t.csv") if row][:5] == ["=name", "=1+1", "+1", "-1+2", "@SUM(A1)"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "predict FOLDER/m.vaglio FOLDER/t.csv --out FOLDER/o.csv",
        "explain FOLDER/m.vaglio FOLDER/t.csv --out FOLDER/o.csv",
        "explore FOLDER/t.csv --target c --out FOLDER/o.csv",
        "evaluate FOLDER/m.vaglio FOLDER/t.csv --out FOLDER/o.csv",
        "audit FOLDER/t.csv --target c --out FOLDER/findings.csv --clean FOLDER/o.csv",
    ],
)
def test_the_option_of_the_commands(line: str, tmp_path: Path, capsys: Any) -> None:
    rows = pd.DataFrame({"=a": [i % 7 for i in range(40)], "c": ["=x", "+y"] * 20})
    rows.to_csv(tmp_path / "t.csv", index=False)
    X, y = vaglio.read(tmp_path / "t.csv", "c").xy()
    vaglio.C45Classifier().fit(X, y).fitted_.with_provenance(target="c").save(tmp_path / "m.vaglio")
    for option, marked in (("", False), (" --for-spreadsheet", True)):
        run(tmp_path, line + option)
        cells = [cell for row in read_rows(tmp_path / "o.csv") for cell in row]
        words = {cell for cell in cells if "=a" in cell or "=x" in cell or "+y" in cell}
        assert words
        assert marked == all(word[:1] not in ("=", "+") for word in words), words


def test_a_backslash_does_not_end_a_text_in_another_dialect() -> None:
    names = ["a\\", "'; DROP TABLE t; --", "`x", '"y', "plain"]
    X = pd.DataFrame({"c`\"'\\": pd.Categorical(names * 4)})
    rules = vaglio.C45Classifier(min_samples_leaf=1).fit(X, names * 4).fitted_.rules()
    sql = rules.to_sql(dialect="mysql")
    # Outside of texts and names, as a database that knows escapes reads them, nothing of the table is left.
    rest = re.sub(r"'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`", "", sql)
    assert not re.search(r"DROP|plain|['`\"\\]", rest), rest
    assert rules.to_sql() == rules.to_sql(dialect="standard")
    with pytest.raises(InputError, match="dialect"):
        rules.to_sql(dialect="oracle")


def test_a_word_without_bytes_is_in_no_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\nNA,y\n3,n/a\n")
    table = vaglio.read(path, missing=("a\udfffb", "NA", "n/a"))
    assert table.column("a").n_missing == table.column("b").n_missing == 1
