"""The worked examples on the 14 rows of the play table, digit for digit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vaglio

ATTRIBUTES = ("outlook", "temperature", "humidity", "windy")
GAIN = {"outlook": 0.2467, "humidity": 0.1518, "windy": 0.0481, "temperature": 0.0292}
GAIN_RATIO = {"outlook": 0.1564, "humidity": 0.1518, "windy": 0.0488, "temperature": 0.0188}
GINI_MULTIWAY = {"outlook": 0.3429, "humidity": 0.3673, "windy": 0.4286, "temperature": 0.4405}
GINI_BINARY = {"outlook": 0.3571, "humidity": 0.3673, "windy": 0.4286, "temperature": 0.4429}
FIVE_RULES = {
    "IF outlook = sunny AND humidity = high THEN no",
    "IF outlook = sunny AND humidity = normal THEN yes",
    "IF outlook = overcast THEN yes",
    "IF outlook = rainy AND windy = true THEN no",
    "IF outlook = rainy AND windy = false THEN yes",
}


@pytest.fixture(scope="module")
def table() -> Any:
    return vaglio.datasets.load("play")


def root(table: Any, attribute: str, **params: Any) -> Any:
    X, y = table.xy("play")
    return vaglio.DecisionTreeClassifier(max_depth=1, **params).fit(X.select([attribute]), y).tree_


def after(tree: Any) -> float:
    """Return the impurity after the root's split."""
    below = tree.children(0)
    return float(sum(tree.weight[i] * tree.impurity[i] for i in below) / tree.weight[0])


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_information_gain_in_bits(table: Any, attribute: str) -> None:
    tree = root(table, attribute, criterion="entropy", nominal_split="multiway")
    assert tree.impurity[0] == pytest.approx(0.9403, abs=5e-5)
    assert tree.impurity[0] - after(tree) == pytest.approx(GAIN[attribute], abs=5e-5)
    assert tree.gain[0] == pytest.approx(GAIN[attribute], abs=5e-5)


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_gain_ratio(table: Any, attribute: str) -> None:
    tree = root(table, attribute, criterion="gain_ratio", nominal_split="multiway")
    shares = tree.weight[list(tree.children(0))] / tree.weight[0]
    gain = tree.impurity[0] - after(tree)
    assert gain / -(shares * np.log2(shares)).sum() == pytest.approx(GAIN_RATIO[attribute], abs=5e-5)


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_gini(table: Any, attribute: str) -> None:
    many, two = (root(table, attribute, nominal_split=split) for split in ("multiway", "subset"))
    assert many.impurity[0] == pytest.approx(0.4592, abs=5e-5)
    assert after(many) == pytest.approx(GINI_MULTIWAY[attribute], abs=5e-5)
    assert after(two) == pytest.approx(GINI_BINARY[attribute], abs=5e-5)


def test_best_binary_split_of_outlook_sets_overcast_apart(table: Any) -> None:
    X, y = table.xy("play")
    rules = vaglio.CARTClassifier(max_depth=1).fit(X, y).rules()
    assert any(str(rule).startswith("IF outlook = overcast THEN yes") for rule in rules)


def sources(table: Any, folder: Path) -> dict[str, Any]:
    """Return the play table by every way in."""
    frame = table.to_frame()
    csv, arff = folder / "play.csv", folder / "play.arff"
    frame.to_csv(csv, index=False)
    domains = {name: sorted({str(v).lower() for v in frame[name]}) for name in frame.columns}
    header = [f"@attribute {name} {{{', '.join(values)}}}" for name, values in domains.items()]
    data = [",".join(str(v).lower() for v in row) for row in frame.itertuples(index=False)]
    arff.write_text("\n".join(["@relation play", *header, "@data", *data]))
    import polars
    import pyarrow

    arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
    return {
        "csv": vaglio.read(csv),
        "arff": vaglio.read(arff),
        "pandas": frame,
        "polars": polars.from_arrow(arrow),
        "pyarrow": arrow,
    }


@pytest.mark.slow
@pytest.mark.parametrize("way", ["csv", "arff", "pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("learner", [vaglio.ID3Classifier, vaglio.C45Classifier], ids=["id3", "c45"])
def test_the_tree_and_five_rules_of_the_notes(table: Any, way: str, learner: Any, tmp_path: Path) -> None:
    X, y = vaglio.Table.from_any(sources(table, tmp_path)[way]).xy("play")
    model = learner().fit(X, y)
    rules = {str(rule).split("  [")[0].replace('"', "").lower() for rule in model.rules()}
    assert rules == {rule.lower() for rule in FIVE_RULES}
    assert model.score(X, y) == 1.0
    assert model.fitted_.codebook.features[int(model.tree_.feature[0])].name == "outlook"


def test_pessimistic_pruning_keeps_a_tie(table: Any) -> None:
    """Outlook alone: (5 errors - 1 + 3·½)/14 against (5 + ½)/14 is 5.5 against 5.5, and the split is kept."""
    X, y = table.xy("play")
    X = X.select(["outlook"])
    settings = {"nominal_split": "multiway", "criterion": "entropy", "pruning": "pessimistic"}
    assert vaglio.DecisionTreeClassifier(epsilon=0.5, **settings).fit(X, y).get_n_leaves() == 3
    assert vaglio.DecisionTreeClassifier(epsilon=0.51, **settings).fit(X, y).get_n_leaves() == 1


def test_an_identifier_has_the_largest_gain_and_c45_keeps_it_out(table: Any) -> None:
    X, y = table.xy("play")
    frame = X.to_frame().assign(day=[f"D{i}" for i in range(14)])
    id3 = vaglio.ID3Classifier().fit(frame, y)
    assert id3.get_n_leaves() == 14
    assert id3.tree_.gain[0] == pytest.approx(0.9403, abs=5e-5)
    assert 0.9403 / np.log2(14) == pytest.approx(0.2470, abs=5e-5)
    for guarded in (vaglio.C45Classifier(), vaglio.CARTClassifier()):
        used = {str(c) for rule in guarded.fit(frame, y).rules() for c in rule.conditions}
        assert not any(condition.startswith("day") for condition in used)


def test_entropy_of_iris_and_of_its_stratified_halves() -> None:
    from sklearn.model_selection import train_test_split

    _, y = vaglio.datasets.load("iris").xy(-1)
    halves = train_test_split(y, test_size=0.5, stratify=y, random_state=0)
    for labels in (y, *halves):
        tree = vaglio.ID3Classifier(max_depth=1).fit(np.zeros((len(labels), 1)), labels).tree_
        assert tree.impurity[0] == pytest.approx(np.log2(3))
