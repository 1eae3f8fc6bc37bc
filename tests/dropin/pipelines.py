"""Everyday programs: pipelines, searches, cross-validation. Each imports inside, and returns what it would print."""

from __future__ import annotations

from typing import Any

from .programs import near, same


@same(1e-6)
def scaled_svm_on_held_out_rows() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.metrics import classification_report
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, y = load_wine(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = make_pipeline(StandardScaler(), SVC(tol=1e-8)).fit(X_train, y_train)
    return classification_report(y_test, model.predict(X_test)), model.decision_function(X_test)


@same(1e-6)
def grid_search_over_a_pipeline() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    X, y = load_iris(return_X_y=True)
    pipe = Pipeline([("scale", StandardScaler()), ("svm", SVC())])
    search = GridSearchCV(pipe, {"svm__C": [0.1, 1, 10], "svm__gamma": ["scale", 0.1]}, cv=3).fit(X, y)
    return search.best_params_, search.best_score_, search.cv_results_["mean_test_score"]


@same(1e-6)
def randomized_search_of_neighbours() -> Any:
    from scipy.stats import randint
    from sklearn.datasets import load_iris
    from sklearn.model_selection import RandomizedSearchCV
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_iris(return_X_y=True)
    choices = {"n_neighbors": randint(1, 20), "weights": ["uniform", "distance"], "p": [1, 2]}
    search = RandomizedSearchCV(KNeighborsClassifier(), choices, n_iter=8, cv=3, random_state=0).fit(
        X + 0.001 * X**2, y
    )
    return search.best_params_, search.best_score_


@near(0.05)
def halving_search_of_a_tree() -> Any:
    from sklearn.datasets import load_breast_cancer
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    grid = {"max_depth": [2, 4], "min_samples_leaf": [1, 5]}
    return HalvingGridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3, random_state=0).fit(X, y).best_score_


@same(1e-6)
def cross_validated_scores_of_several() -> Any:
    from sklearn.datasets import load_wine
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load_wine(return_X_y=True)
    models = [LogisticRegression(), GaussianNB(), KNeighborsClassifier()]
    return [cross_val_score(make_pipeline(StandardScaler(), model), X, y, cv=4) for model in models]


@same(1e-6)
def cross_validation_with_several_scores() -> Any:
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB

    X, y = load_breast_cancer(return_X_y=True)
    found = cross_validate(GaussianNB(), X, y, cv=3, scoring=["roc_auc", "f1", "neg_log_loss"], return_train_score=True)
    return {name: values for name, values in found.items() if "time" not in name}


@same(1e-5)
def columns_of_mixed_kinds() -> Any:
    import numpy as np
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": random.integers(18, 80, 120).astype(float), "town": random.choice(["a", "b", "c"], 120)}
    )
    frame.loc[::10, "age"] = np.nan
    y = (frame["age"].fillna(40) + 20 * (frame["town"] == "b") > 55).astype(int)
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    columns = ColumnTransformer([("n", numbers, ["age"]), ("c", OneHotEncoder(), ["town"])])
    model = make_pipeline(columns, LogisticRegression()).fit(frame, y)
    return model.score(frame, y), model[-1].coef_, model[:-1].get_feature_names_out().tolist()


@same(1e-6)
def one_hot_columns_of_pandas() -> Any:
    import pandas as pd
    from sklearn.naive_bayes import BernoulliNB
    from sklearn.tree import DecisionTreeClassifier

    frame = pd.DataFrame({"sky": ["sun", "rain", "cloud", "sun", "rain", "sun"] * 5, "wind": [True, False] * 15})
    X, y = pd.get_dummies(frame), frame["wind"] & (frame["sky"] != "rain")
    bayes, tree = BernoulliNB().fit(X, y), DecisionTreeClassifier(random_state=0).fit(X, y)
    return bayes.predict_proba(X.astype(int)), tree.predict(X.to_numpy()), tree.get_depth()


@same(1e-6)
def learning_and_validation_curves() -> Any:
    from sklearn.datasets import load_digits
    from sklearn.model_selection import learning_curve, validation_curve
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    X, y = load_digits(return_X_y=True)
    X, y = X[:400] + 0.001 * X[:400] ** 2, y[:400]
    learned = learning_curve(GaussianNB(), X, y, cv=3, train_sizes=[0.5, 1.0])[2]
    tried = validation_curve(KNeighborsClassifier(), X, y, param_name="n_neighbors", param_range=[1, 5], cv=3)[1]
    return learned, tried


@same(1e-6)
def predictions_out_of_fold() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import confusion_matrix, log_loss
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    proba = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")
    return log_loss(y, proba), confusion_matrix(y, proba.argmax(axis=1))


@same(1e-6)
def names_of_columns_are_kept_and_checked() -> Any:
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    X, y = load_iris(return_X_y=True, as_frame=True)
    scaled = StandardScaler().set_output(transform="pandas").fit_transform(X)
    model = LogisticRegression().fit(scaled, y)
    try:
        model.predict(scaled.rename(columns={scaled.columns[0]: "other"}))
        said = ""
    except ValueError as error:
        said = str(error)
    return model.feature_names_in_.tolist(), model.n_features_in_, said


@same(1e-6)
def weights_by_metadata_routing() -> Any:
    import numpy as np
    import sklearn
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = load_iris(return_X_y=True)
    weight = np.where(y == 1, 3.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        search = GridSearchCV(make_pipeline(scaler, model), {"logisticregression__C": [0.1, 1]}, cv=3)
        search.fit(X, y, sample_weight=weight)
        return search.cv_results_["mean_test_score"], search.best_estimator_[-1].coef_
