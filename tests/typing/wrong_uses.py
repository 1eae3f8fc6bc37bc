"""Wrong uses of vaglio: type checkers must object to each line marked so. Checked, never run; see test_types.py."""

import numpy as np

import vaglio
from vaglio import (
    C45Classifier,
    RandomForestClassifier,
)


def names() -> None:
    vaglio.NoSuchThing()  # wrong
    vaglio.datasets.fetch("penguins")  # wrong


def parameters() -> None:
    RandomForestClassifier(n_estimatorz=3)  # wrong
    RandomForestClassifier(max_depth="three")  # wrong
    RandomForestClassifier(100, 5)  # wrong
    RandomForestClassifier(criterion="squared_error")  # wrong
    C45Classifier(random_state="today")  # wrong
    C45Classifier(class_weight="balance")  # wrong
    vaglio.LogisticRegression(C=None)  # wrong
    vaglio.BaggingClassifier(estimator="c45")  # wrong
    vaglio.BaggingRegressor(voting="soft")  # wrong
    vaglio.VotingClassifier("c45")  # wrong
    vaglio.KNeighborsClassifier(metric="euclidian")  # wrong
    vaglio.HistGradientBoostingRegressor(multi_class="shared_tree")  # wrong


def methods(X: np.ndarray, y: np.ndarray, tree: vaglio.DecisionTreeRegressor) -> None:
    C45Classifier().fit("penguins.csv", y)  # wrong
    C45Classifier().fit(X)  # wrong
    tree.predict_proba(X)  # wrong
    tree.predict(X, y)  # wrong
    C45Classifier().fit(X, y).prediction_  # wrong
    accuracy: str = C45Classifier().fit(X, y).score(X, y)  # wrong


def functions(X: np.ndarray, y: np.ndarray, table: vaglio.Table) -> None:
    vaglio.read("penguins.csv", target=["species"])  # wrong
    vaglio.load()  # wrong
    vaglio.evaluate(45, X, y)  # wrong
    vaglio.select(table, "species", strategi="zero")  # wrong
    vaglio.compare(table, "species", folds="ten")  # wrong
    vaglio.audit(table, 1.5)  # wrong
    vaglio.bias_variance(C45Classifier, X, y)  # wrong
    vaglio.Study(table, "species").execute()  # wrong
    forest: RandomForestClassifier = vaglio.load("model.vaglio")  # wrong
