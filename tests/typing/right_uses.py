"""Right uses of vaglio: no type checker may object to any. Checked, never run; see test_types.py."""

from collections.abc import Sequence

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.linear_model import RidgeClassifier  # type: ignore[import-untyped]
from sklearn.model_selection import StratifiedKFold  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]

import vaglio
from vaglio import C45Classifier, RandomForestClassifier, Table
from vaglio.typing import ColumnLike, Estimator, TableLike


def a_forest_from_a_table_of_the_package() -> float:
    X, y = vaglio.datasets.load("penguins").xy("species")
    forest = RandomForestClassifier(20, max_depth=5, oob_score=True, random_state=0).fit(X, y)
    return forest.oob_score_


def a_table_from_a_file(path: str) -> Table:
    return vaglio.read(path, "species", missing=("", "NA"), levels={"year": "ordinal"})


def rows_of_numpy(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return vaglio.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=0.01).fit(X, y).predict_proba(X)


def rows_of_pandas() -> np.ndarray:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    return C45Classifier(confidence_factor=0.1).fit(frame, pd.Series([0, 1])).predict(frame)


def rows_of_polars() -> np.ndarray:
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    return vaglio.NaiveBayesClassifier("kde").fit(frame, pl.Series([0, 1])).predict(frame)


def rows_of_pyarrow() -> np.ndarray:
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    return vaglio.RIPPERClassifier(random_state=1).fit(table, [0, 1]).predict(table)


def rows_of_lists() -> str:
    tree = vaglio.ID3Classifier().fit([["sunny", 1.0], ["rain", None]], ["no", "yes"], sample_weight=[1, 2])
    return tree.to_text(max_depth=2)


def rows_out_of_core(path: str) -> vaglio.LogisticRegression:
    data = vaglio.scan(path)
    with vaglio.streaming("1GB", progress=False):
        return vaglio.LogisticRegression(solver="saga", penalty=None).fit(*data.xy("species"))


def weights_of_classes() -> list[vaglio.SVC]:
    weights = {"ill": 10, "well": 1}
    return [vaglio.SVC(class_weight="balanced"), vaglio.SVC(class_weight=weights), vaglio.SVC(kernel=np.dot)]


def a_seed_from_a_generator(generator: np.random.Generator) -> vaglio.BaggingRegressor:
    return vaglio.BaggingRegressor(
        vaglio.DecisionTreeRegressor(max_bins=64), 50, random_state=generator.integers(1 << 31)
    )


def an_estimator_of_another_library() -> vaglio.AdaBoostClassifier:
    return vaglio.AdaBoostClassifier(RidgeClassifier(), n_estimators=5)


def a_vote() -> vaglio.VotingClassifier:
    members = [("tree", C45Classifier()), ("scaled", make_pipeline(StandardScaler(), vaglio.Perceptron()))]
    return vaglio.VotingClassifier([*members, "naive-bayes"], voting="soft", weights=[1, 2, 1.5])


def constraints() -> list[vaglio.HistGradientBoostingRegressor]:
    by_name = vaglio.HistGradientBoostingRegressor(monotonic_cst={"age": 1}, interaction_cst=[{0, 1}, {2}])
    by_place = vaglio.HistGradientBoostingRegressor("auto", loss="quantile", quantile=0.9, monotonic_cst=[1, 0, -1])
    return [by_name, by_place]


def an_estimator_for_scikit_learn() -> dict[str, object]:
    tree = C45Classifier().set_params(max_depth=3).set_fit_request(sample_weight=True)
    base: BaseEstimator = tree
    return {"base": base, **tree.get_params(deep=False)}


def the_k_of_neighbours(folds: StratifiedKFold) -> vaglio.KNeighborsClassifier:
    return vaglio.KNeighborsClassifier("cv", weights=lambda distance: 1 / distance, cv=folds, metric="cosine")


def a_model_file(path: str, X: TableLike) -> list[str]:
    model = vaglio.load(path)
    model.save(path)
    return [explanation.to_text() for explanation in model.explain(X)]


def rules_of_a_tree(tree: vaglio.CARTClassifier) -> str:
    rules: vaglio.RuleSet = tree.rules()
    return rules.to_sql(dialect="duckdb") if len(rules) else rules.to_json(indent=2)


def an_evaluation(model: Estimator, X: TableLike, y: ColumnLike) -> float:
    evaluation = vaglio.evaluate(model, X, y, cost={("ill", "well"): 10})
    vaglio.RocCurveDisplay.from_evaluation(evaluation, name="forest").plot()
    accuracy: float = evaluation.accuracy.value
    return accuracy


def a_selection(table: pd.DataFrame, learners: Sequence[str]) -> Estimator:
    chosen = vaglio.select(table, "species", learners=learners, strategy="validation", scoring="f1_macro")
    return chosen.best_estimator


def a_study_with_its_audit(table: Table) -> list[str]:
    study = vaglio.Study(table, "species", learners=["c45", vaglio.MLPClassifier((50, 20))], seed=1).run()
    return [*study.summary(), *(finding.message for finding in study.audit.findings)]


def missing_values(X: TableLike) -> object:
    return vaglio.ForestImputer(max_iter=3, random_state=np.random.RandomState(0)).fit_transform(X)


def both_forms_of_the_data(table: pd.DataFrame, X: TableLike, y: ColumnLike) -> list[float]:
    by_name = vaglio.compare(table, "species", ["c45", "ripper"], folds=5)
    beside = vaglio.compare(X, y, ["c45", "ripper"], folds=5)
    vaglio.audit(X, y)
    vaglio.explore(X, y, percentiles=[5, 95])
    vaglio.trace("id3", table, "species")
    vaglio.Study(X, y, ["c45"]).run()
    vaglio.tune("c45", X, y, {"max_depth": [1, 2]}, strategy="validation").plot()
    return [vaglio.evaluate("c45", X, y, folds=10).accuracy.value, len(by_name.reports), len(beside.reports)]
