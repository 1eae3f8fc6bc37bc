"""Everyday programs: learners that hold others, text, selection of columns, learning in parts."""

from __future__ import annotations

from typing import Any

from .programs import near, same


@same(1e-6)
def a_vote_of_three() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.ensemble import VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    members = [
        ("l", LogisticRegression()),
        ("b", GaussianNB()),
        ("t", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]
    return VotingClassifier(members, voting="soft", weights=[2, 1, 1]).fit(X, y).predict_proba(X)


@same(1e-5)
def a_stack_of_models() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.ensemble import StackingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    members = [("k", KNeighborsClassifier()), ("b", GaussianNB())]
    return StackingClassifier(members, LogisticRegression(), cv=3).fit(X, y).predict_proba(X)


@same(1e-6)
def one_against_the_rest() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    found = [make(SVC(tol=1e-9)).fit(X, y) for make in (OneVsRestClassifier, OneVsOneClassifier)]
    return [model.decision_function(X) for model in found], found[0].predict(X)


@same(1e-6)
def columns_chosen_by_a_model() -> Any:
    from sklearn.datasets import load_breast_cancer
    from sklearn.feature_selection import RFE, SelectFromModel
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    X, y = load_breast_cancer(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0))[::3, :8]
    y = y[::3]
    dropped = RFE(SVC(kernel="linear"), n_features_to_select=3).fit(X, y)
    chosen = SelectFromModel(LogisticRegression(solver="liblinear", l1_ratio=1.0, C=0.1)).fit(X, y)
    return dropped.ranking_, chosen.get_support()


@same(1e-6)
def words_counted_and_classified() -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    texts = ["good film", "bad film", "very good", "bad bad plot", "good plot", "dull and bad"]
    model = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0.5)).fit(texts, [1, 0, 1, 0, 1, 0])
    return model.predict_proba(["good good", "dull film"]), model[-1].feature_log_prob_


@same(1e-5)
def weighted_words_and_linear_models() -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression, Perceptron
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    texts = [
        f"{word} {other} text" for word in ("red", "blue", "green", "dark") for other in ("cat", "dog", "bird")
    ] * 2
    y = ["warm" if "red" in text or "dog" in text else "cold" for text in texts]
    models = [LogisticRegression(), Perceptron(), SVC(kernel="linear", tol=1e-8), SVC(tol=1e-8)]
    return [make_pipeline(TfidfVectorizer(), model).fit(texts, y).decision_function(texts[:5]) for model in models]


@same(1e-6)
def learning_from_a_stream() -> Any:
    from sklearn.datasets import load_digits
    from sklearn.linear_model import Perceptron
    from sklearn.naive_bayes import BernoulliNB, GaussianNB

    X, y = load_digits(return_X_y=True)
    models = [Perceptron(), BernoulliNB(binarize=4.0), GaussianNB(var_smoothing=1e-3)]
    for start in range(0, 600, 200):
        for model in models:
            model.partial_fit(X[start : start + 200], y[start : start + 200], classes=range(10))
    return [model.predict(X[600:700]) for model in models]


@same(1e-6)
def several_targets_at_once() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsRegressor

    X, y = load_wine(return_X_y=True)
    both = [[label, int(row[0] > 13)] for label, row in zip(y, X)]
    near = KNeighborsRegressor(4).fit(X, X[:, :3])
    return MultiOutputClassifier(GaussianNB()).fit(X, both).predict(X), near.predict(X + 0.01)


@same(1e-6)
def rows_near_each_other() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
    from sklearn.pipeline import make_pipeline

    X, y = load_iris(return_X_y=True)
    X = X + 0.001 * X**2
    graph = KNeighborsTransformer(n_neighbors=7, mode="distance")
    model = make_pipeline(graph, KNeighborsClassifier(5, metric="precomputed")).fit(X, y)
    alone = KNeighborsClassifier(5).fit(X, y)
    return model.predict(X), alone.kneighbors(X[:4]), alone.kneighbors_graph(X[:4]).toarray()


@same(1e-6)
def a_kernel_of_ones_own() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    K = rbf_kernel(X, gamma=0.3)
    given = SVC(kernel="precomputed", tol=1e-9).fit(K, y)
    asked = SVC(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.3), tol=1e-9).fit(X, y)
    return given.decision_function(K[:9]), asked.decision_function(X[:9]), given.n_support_


@same(1e-9)
def a_small_network() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.neural_network import MLPClassifier

    X, y = load_iris(return_X_y=True)
    model = MLPClassifier((5,), max_iter=30, random_state=0, early_stopping=True).fit(X, y)
    return model.predict_proba(X), model.loss_curve_, model.validation_scores_, model.n_layers_


@near(0.04)
def bags_and_boosts() -> Any:
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, ExtraTreesClassifier
    from sklearn.model_selection import train_test_split
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_breast_cancer(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X[:, :10], y, random_state=0)
    models = [
        AdaBoostClassifier(n_estimators=20, random_state=0),
        BaggingClassifier(KNeighborsClassifier(), n_estimators=8, random_state=0),
        ExtraTreesClassifier(30, random_state=0),
    ]
    return [model.fit(X_train, y_train).score(X_test, y_test) for model in models]
