"""Everyday programs: what a model says about itself, pictures, calibration, files."""

from __future__ import annotations

from typing import Any

from .programs import near, same


@same(1e-6)
def a_tree_as_text() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier, export_text

    data = load_iris()
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(data.data[:, :3], data.target)
    return export_text(model, feature_names=data.feature_names[:3]), model.feature_importances_


@same(1e-6)
def a_tree_as_a_picture_and_as_a_graph() -> Any:
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier, export_graphviz, plot_tree

    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[:, :3], y)
    figure, axes = plt.subplots()
    texts = [box.get_text() for box in plot_tree(model, filled=True, ax=axes)]
    plt.close(figure)
    return texts, export_graphviz(model).count("->")


@same(1e-6)
def the_structure_of_a_tree() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.tree import DecisionTreeRegressor

    X, y = load_wine(return_X_y=True)
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, X[:, 0] + y)
    tree = model.tree_
    return tree.node_count, tree.threshold[tree.feature >= 0], tree.value.ravel(), model.decision_path(X[:3]).toarray()


@same(1e-6)
def pruning_by_cost_and_complexity() -> Any:
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :5]
    path = DecisionTreeClassifier(max_depth=3, random_state=0).cost_complexity_pruning_path(X, y)
    chosen = DecisionTreeClassifier(max_depth=3, random_state=0, ccp_alpha=float(path.ccp_alphas[-2])).fit(X, y)
    return path.ccp_alphas, path.impurities, chosen.get_n_leaves()


@same(1e-5)
def values_of_shap_for_a_tree() -> Any:
    import pytest
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    shap = pytest.importorskip("shap")
    X, y = load_iris(return_X_y=True)
    X = X[:, :3]  # of two columns that split as well, scikit-learn draws one
    return shap.TreeExplainer(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)).shap_values(X[:5])


@same(1e-6)
def importance_by_permutation() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.inspection import permutation_importance
    from sklearn.naive_bayes import GaussianNB

    X, y = load_wine(return_X_y=True)
    found = permutation_importance(GaussianNB().fit(X, y), X, y, n_repeats=3, random_state=0)
    return found.importances_mean, found.importances_std


@same(1e-6)
def partial_dependence_as_a_picture() -> Any:
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_iris
    from sklearn.inspection import PartialDependenceDisplay
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    model = SVC(tol=1e-8).fit(X[:100], y[:100])
    drawn = PartialDependenceDisplay.from_estimator(model, X[:100], [0, 2], grid_resolution=5)
    plt.close("all")
    return [result["average"] for result in drawn.pd_results]


@same(1e-6)
def decision_regions_as_a_picture() -> Any:
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_iris
    from sklearn.inspection import DecisionBoundaryDisplay
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier(15, weights="distance").fit(X[:, :2] + 0.001 * X[:, 2:], y)
    drawn = DecisionBoundaryDisplay.from_estimator(model, X[:, :2], grid_resolution=12, response_method="predict")
    plt.close("all")
    return drawn.response


@same(1e-6)
def curves_of_a_two_class_model() -> Any:
    import matplotlib.pyplot as plt
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import PrecisionRecallDisplay, RocCurveDisplay
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = LogisticRegression().fit(X[::2], y[::2])
    roc = RocCurveDisplay.from_estimator(model, X[1::2], y[1::2])
    recall = PrecisionRecallDisplay.from_estimator(model, X[1::2], y[1::2])
    plt.close("all")
    return roc.roc_auc, recall.average_precision


@same(1e-5)
def calibrated_probabilities() -> Any:
    from sklearn.calibration import CalibratedClassifierCV, calibration_curve
    from sklearn.datasets import load_breast_cancer
    from sklearn.metrics import brier_score_loss
    from sklearn.svm import SVC

    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    proba = CalibratedClassifierCV(SVC(tol=1e-8), cv=3).fit(X, y).predict_proba(X)[:, 1]
    return brier_score_loss(y, proba), calibration_curve(y, proba, n_bins=3)


@same(1e-6)
def coefficients_as_a_table() -> Any:
    import pandas as pd
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = LogisticRegression().fit(StandardScaler().fit_transform(X), y)
    table = pd.Series(model.coef_[0], index=X.columns).sort_values()
    return table.index.tolist(), table.to_numpy(), model.intercept_, (model.coef_ @ X.to_numpy()[0])


@same(1e-6)
def models_copied_and_stored() -> Any:
    import io
    import pickle

    import joblib
    from sklearn.base import clone
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    X = X + 0.001 * X**2
    found = []
    for model in (SVC(tol=1e-8), GaussianNB(), KNeighborsRegressor(3)):
        file = io.BytesIO()
        joblib.dump(pickle.loads(pickle.dumps(clone(model).fit(X, y))), file)
        file.seek(0)
        found.append(joblib.load(file).predict(X))
    return found, repr(SVC(C=3)), GaussianNB().get_params()


@near(0.03)
def importances_of_a_forest() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.ensemble import RandomForestClassifier

    X, y = load_wine(return_X_y=True)
    model = RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    return model.oob_score_, float(sorted(model.feature_importances_)[-3:][0])
