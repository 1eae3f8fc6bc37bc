"""Every learner that learns in passes here, with parameters that reach each of its ways."""

from __future__ import annotations

import vaglio

# Name -> estimator; "exact": the training in memory gives the very same file.
EXACT = {
    "naive-bayes, small": vaglio.NaiveBayesClassifier(),
    "naive-bayes, intervals": vaglio.NaiveBayesClassifier(likelihood="mdl"),
    "naive-bayes, discrete": vaglio.NaiveBayesClassifier(likelihood="discrete"),
    "joint-bayes": vaglio.JointBayesClassifier(),
    "bayes-net": vaglio.BayesianNetworkClassifier(),
    "bayes-net, two parents": vaglio.BayesianNetworkClassifier(structure="k-dependence", k=2),
    "bernoulli-nb": vaglio.BernoulliNB(),
    "multinomial-nb": vaglio.MultinomialNB(),
    "knn": vaglio.KNeighborsClassifier(),
    "cart": vaglio.CARTClassifier(max_bins=32),
    "cart, folds": vaglio.CARTClassifier(max_bins=32, max_depth=6, ccp_alpha="cv", random_state=1),
    "cart, reduced": vaglio.CARTClassifier(max_bins=32, max_depth=6, pruning="reduced_error", random_state=1),
    "c45": vaglio.C45Classifier(max_bins=32, subtree_raising=False),
    "id3": vaglio.ID3Classifier(max_bins=32),
    "adaboost": vaglio.AdaBoostClassifier(
        vaglio.DecisionTreeClassifier(max_depth=3, max_bins=32), n_estimators=5, random_state=1
    ),
    "adaboost of rows": vaglio.AdaBoostClassifier(vaglio.BernoulliNB(), n_estimators=2, random_state=1),
    "bagging": vaglio.BaggingClassifier(vaglio.CARTClassifier(max_bins=32), n_estimators=3, random_state=1),
    "bagging of columns": vaglio.BaggingClassifier(
        vaglio.C45Classifier(max_bins=32, subtree_raising=False), n_estimators=3, max_features=0.6, random_state=1
    ),
    "bagging of rows": vaglio.BaggingClassifier(vaglio.BernoulliNB(), n_estimators=2, random_state=1),
    "additive": vaglio.ExplainableBoostingClassifier(outer_bags=2, max_rounds=20, interactions=1, random_state=1),
    "gradient-boosting": vaglio.HistGradientBoostingClassifier(max_iter=4, random_state=1),
    "random-forest": vaglio.RandomForestClassifier(4, max_bins=32, random_state=1),
}
NEAR = {
    "naive-bayes, normal": vaglio.NaiveBayesClassifier(likelihood="gaussian"),
    "naive-bayes, kernels": vaglio.NaiveBayesClassifier(likelihood="kde"),
    "naive-bayes, named": vaglio.NaiveBayesClassifier(likelihood={"count": "poisson", "real": "gaussian"}),
    "naive-bayes, balanced": vaglio.NaiveBayesClassifier(likelihood="mdl", class_weight="balanced"),
    "gaussian-map": vaglio.GaussianMAPClassifier(),
    "gaussian-map, tied": vaglio.GaussianMAPClassifier("tied"),
    "gaussian-map, shrunk": vaglio.GaussianMAPClassifier("shrunk", class_weight="balanced"),
    "logistic": vaglio.LogisticRegression(tol=1e-7),
    "logistic, absolute": vaglio.LogisticRegression(penalty="l1", C=0.05, tol=1e-7),
    "logistic, free": vaglio.LogisticRegression(penalty=None, tol=1e-7),
    "perceptron": vaglio.Perceptron(max_iter=4),
    "perceptron, patient": vaglio.Perceptron(max_iter=30, n_iter_no_change=2),
    "perceptron, penalty": vaglio.Perceptron(max_iter=4, penalty="elasticnet", alpha=0.01, l1_ratio=0.4),
    "mlp": vaglio.MLPClassifier((4,), max_iter=2, shuffle=False, batch_size=150),
    "voting": vaglio.VotingClassifier(
        [("bayes", vaglio.NaiveBayesClassifier(likelihood="gaussian")), ("logistic", vaglio.LogisticRegression())]
    ),
}
ALL = EXACT | NEAR
# Those that predict numbers and take weights in passes.
NUMBERS = {
    "linear": vaglio.LinearRegression(),
    "knn": vaglio.KNeighborsRegressor(),
    "mlp": vaglio.MLPRegressor((4,), max_iter=2, random_state=1),
    "cart": vaglio.DecisionTreeRegressor(max_bins=32),
    "cart, folds": vaglio.DecisionTreeRegressor(max_bins=32, max_depth=6, ccp_alpha="cv", random_state=1),
    "bagging": vaglio.BaggingRegressor(vaglio.DecisionTreeRegressor(max_bins=32), n_estimators=3, random_state=1),
    "random-forest": vaglio.RandomForestRegressor(4, max_bins=32, random_state=1),
    "adaboost": vaglio.AdaBoostRegressor(
        vaglio.DecisionTreeRegressor(max_depth=3, max_bins=32), n_estimators=3, random_state=1
    ),
    "gradient-boosting": vaglio.HistGradientBoostingRegressor(max_iter=4, random_state=1),
    "additive": vaglio.ExplainableBoostingRegressor(outer_bags=2, max_rounds=20, interactions=1, random_state=1),
    "voting": vaglio.VotingRegressor(
        [("tree", vaglio.DecisionTreeRegressor(max_bins=32)), ("line", vaglio.LinearRegression())]
    ),
}
# Learners of counts and presence, which take the columns that have no negative number.
OF_COUNTS = ("bernoulli-nb", "multinomial-nb")
NOT_IN_PASSES = {
    "svm": vaglio.SVC(),
    "ripper": vaglio.RIPPERClassifier(),
    "foil": vaglio.FOILClassifier(),
    "cn2": vaglio.CN2Classifier(),
    "aq": vaglio.AQClassifier(),
    "oblique": vaglio.ObliqueTreeClassifier(),
    "optimal-tree": vaglio.OptimalTreeClassifier(),
    "gaussian-mixture": vaglio.GaussianMixtureClassifier(),
    "logistic by batches": vaglio.LogisticRegression(solver="minibatch"),
    "perceptron, shuffled": vaglio.Perceptron(shuffle=True),
    "perceptron, rows held out": vaglio.Perceptron(early_stopping=True),
    "mlp, all rows": vaglio.MLPClassifier(solver="lbfgs"),
}
