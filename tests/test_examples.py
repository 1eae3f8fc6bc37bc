"""The scripts of examples/ run without error and print what they are meant to show."""

from __future__ import annotations

import ast
import runpy
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# Words that the output of each script must contain, because they are its result.
SIGNS = {
    "boosting": ["rounds, chosen by five folds", "bound to rise  0"],
    "additive": [
        "the terms that move the score most",
        "mean_smoothness: remove with 1 pair",
        "as SQL:",
    ],
    "optimal_tree": ["errors on 200 rows: optimal 0, greedy", "proved: True"],
    "data": ["outlook      0.2467 bits", "looks like an identifier", "has no mean"],
    "trees": ["├─ = sunny: humidity", "error-based", "with oblique tests"],
    "rules": ["RIPPER", "ELSE Adelie", "CASE"],
    "bayes": ["3/5 · 1/5 · 4/5 · 3/5 · 5/14 = 0.0206", "JointBayesClassifier       1.000"],
    "linear": ["exclusive or: converged False", "[0, 1, 1, 0]"],
    "svm": ["no hyperplane separates", "15.0 = phi(x) . phi(z) = 15.0"],
    "neighbours": ["K chosen by cross-validation", "All rules:"],
    "ensembles": ["3   0.2593", "out of bag"],
    "validation": ["3 points shattered", "4 points not shattered", "Confusion matrix"],
    "explaining": ["the root tests: outlook", "Passo per passo"],
}


def test_every_script_is_run_here():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*SIGNS, "penguins"}


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNS)
def test_a_script_runs_and_prints_its_result(name: str, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert [sign for sign in SIGNS[name] if sign not in shown] == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", SIGNS)
def test_a_script_says_what_it_shows(name: str):
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(source))
