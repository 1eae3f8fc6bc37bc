"""Every learner by its command-line id: class, what it is in one line, and what to try when tuning it.

A search space is plain data: parameter -> list of values. An estimator is imported only when it is needed.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import Any

from vaglio.errors import InputError
from vaglio.messages.sentences import did_you_mean
from vaglio.model.kinds import KINDS


@dataclass(frozen=True)
class Learner:
    """One record of the registry.

    Attributes
    ----------
    id : str
        As typed on the command line, and as stored in the model file.
    kind : str
        The kind of model it learns, one of :data:`vaglio.model.kinds.KINDS`.
    home : str
        ``"module:Class"`` of the estimator, imported when first needed.
    help : str
        What it is, in one line.
    search_space : dict of str to list
        Parameter -> values to try when tuning.
    readable : bool or None
        Whether a person can read its models; None: as other models of the kind.
    counts_words : bool
        Whether free text is its natural input, so that a trace shows it.
    settings : dict of str to object
        Parameters that ``make`` gives unless told otherwise, where the class keeps the default of scikit-learn or of a
        textbook and a table is served better by another value.
    textbook : dict of str to object
        Parameters of a trace, where the defaults of the class draw rows and columns at random: then no one could follow
        the computation by hand.
    """

    id: str
    kind: str
    home: str
    help: str
    search_space: dict[str, list[Any]] = field(default_factory=dict)
    readable: bool | None = None
    counts_words: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    textbook: dict[str, Any] = field(default_factory=dict)

    @property
    def cls(self) -> Any:
        """The estimator class."""
        module, name = self.home.split(":")
        return getattr(importlib.import_module(module), name)

    @property
    def family(self) -> str:
        """The family of its models, which is also the name of its folder in this room."""
        return KINDS[self.kind].family

    @property
    def is_readable(self) -> bool:
        """Whether a person can read its models from beginning to end."""
        return KINDS[self.kind].readable if self.readable is None else self.readable

    def make(self, **params: Any) -> Any:
        """Return a new estimator.

        Parameters
        ----------
        **params : object
            Parameters of the estimator; the others are the ``settings``, or the defaults of the class.
        """
        return self.cls(**{**self.settings, **params})


# What a command chooses from if no learner is named.
ONE_PER_FAMILY = ("c45", "ripper", "naive-bayes", "logistic", "svm", "knn", "random-forest", "gradient-boosting")

# Id -> record; filled below, in the order in which learners are listed and tried.
LEARNERS: dict[str, Learner] = {}


def add_learner(learner: Learner) -> Learner:
    """Make a learner known by its id, to the command line, the selection and the traces.

    Parameters
    ----------
    learner : Learner

    Returns
    -------
    Learner
        The same record.
    """
    if learner.id in LEARNERS:
        raise InputError(f"There is a learner {learner.id!r} already: choose another id.")
    if learner.kind not in KINDS:
        raise InputError(f"The learner {learner.id!r} names the unknown kind of model {learner.kind!r}: add it first.")
    LEARNERS[learner.id] = learner
    return learner


for _learner in (
    Learner(
        "id3",
        "tree",
        "vaglio.learners.trees.estimators.presets:ID3Classifier",
        "ID3 decision tree: information gain, one branch per value, no pruning",
        {"max_depth": [2, 4, 8, None], "min_samples_leaf": [1, 2, 5, 10]},
    ),
    Learner(
        "naive-bayes",
        "naive-bayes",
        "vaglio.learners.bayes.estimators.naive_bayes:NaiveBayesClassifier",
        "naive Bayes for mixed tables: frequencies, densities or intervals, multiplied as if independent",
        {"likelihood": ["auto", "gaussian", "kde"], "alpha": [0.1, 0.5, 1.0, 2.0]},
        settings={"alpha": 0.5},  # Jeffreys' prior; Laplace's 1 draws small tables too far towards equal shares
    ),
    Learner(
        "multinomial-nb",
        "multinomial-nb",
        "vaglio.learners.bayes.estimators.multinomial_nb:MultinomialNB",
        "multinomial naive Bayes for counts and text: the words of a class follow one distribution",
        {"alpha": [0.01, 0.1, 0.5, 1.0, 2.0]},
        counts_words=True,
    ),
    Learner(
        "bernoulli-nb",
        "bernoulli-nb",
        "vaglio.learners.bayes.estimators.bernoulli_nb:BernoulliNB",
        "Bernoulli naive Bayes for presence and absence: an absent word counts as evidence too",
        {"alpha": [0.01, 0.1, 0.5, 1.0, 2.0]},
        counts_words=True,
    ),
    Learner(
        "gaussian-map",
        "gaussian-mixture",
        "vaglio.learners.bayes.estimators.gaussian_map:GaussianMAPClassifier",
        "one multivariate Gaussian per class: quadratic, or linear when all share one covariance",
        {"covariance": ["full", "diagonal", "tied", "shrunk"]},
    ),
    Learner(
        "gaussian-mixture",
        "gaussian-mixture",
        "vaglio.learners.bayes.estimators.gaussian_mixture:GaussianMixtureClassifier",
        "several Gaussians per class, their number chosen by the Bayesian information criterion",
        {"max_components": [1, 3, 5, 10], "covariance_type": ["full", "diag"]},
    ),
    Learner(
        "joint-bayes",
        "joint-bayes",
        "vaglio.learners.bayes.estimators.joint_bayes:JointBayesClassifier",
        "one table per class over all combinations of values: exact, and only for few columns",
        {"alpha": [0.01, 0.1, 1.0]},
    ),
    Learner(
        "bayes-net",
        "bayes-net",
        "vaglio.learners.bayes.estimators.bayes_net:BayesianNetworkClassifier",
        "Bayesian network: naive Bayes in which attributes may depend on each other (tree-augmented, k-dependence)",
        {"structure": ["tan", "k-dependence"], "k": [1, 2, 3], "alpha": [0.1, 0.5, 1.0]},
    ),
    Learner(
        "c45",
        "tree",
        "vaglio.learners.trees.estimators.presets:C45Classifier",
        "C4.5 decision tree: gain ratio, one branch per value, missing values distributed, pruned",
        {"confidence_factor": [0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [2, 5, 10, 20]},
        settings={"leaf_smoothing": "m-estimate"},  # a leaf of two rows is not sure of its class
    ),
    Learner(
        "cart",
        "tree",
        "vaglio.learners.trees.estimators.presets:CARTClassifier",
        "CART decision tree: Gini index, binary splits, cost-complexity pruning by folds",
        {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.03, "cv"], "min_samples_leaf": [1, 2, 5, 10]},
        settings={"ccp_alpha": "cv"},  # fully grown, a tree learns the noise too: two points less on tables left out
    ),
    Learner(
        "optimal-tree",
        "tree",
        "vaglio.learners.trees.estimators.optimal_tree:OptimalTreeClassifier",
        "optimal decision tree: of all trees within a depth, one with the fewest training errors, proved",
        {"max_depth": [1, 2, 3], "ccp_alpha": [0.0, 0.001, 0.003, 0.01]},
    ),
    Learner(
        "oblique",
        "tree",
        "vaglio.learners.trees.estimators.presets:ObliqueTreeClassifier",
        "decision tree whose nodes may test a linear combination of columns",
        {"ccp_alpha": [0.0, 0.003, 0.01, 0.03], "min_samples_leaf": [1, 5, 10]},
        readable=False,  # a sum of weighted columns at every node is not read at a glance
    ),
    Learner(
        "perceptron",
        "linear",
        "vaglio.learners.linear.estimators.perceptron:Perceptron",
        "perceptron: a hyperplane that moves at every mistake; it stops once the classes are separated",
        {"eta0": [0.1, 1.0], "shuffle": [False, True], "max_iter": [50, 1000]},
    ),
    Learner(
        "logistic",
        "linear",
        "vaglio.learners.linear.estimators.logistic:LogisticRegression",
        "logistic regression: log-odds linear in the columns, with odds ratios and their intervals",
        {"C": [0.01, 0.1, 1.0, 10.0, 100.0], "l1_ratio": [0.0, 1.0]},
    ),
    Learner(
        "mlp",
        "mlp",
        "vaglio.learners.linear.estimators.mlp:MLPClassifier",
        "neural network: layers of weighted sums, trained by gradient",
        {"hidden_layer_sizes": [[20], [100], [50, 50]], "alpha": [0.0001, 0.01, 1.0]},
    ),
    Learner(
        "svm",
        "svm",
        "vaglio.learners.svm.estimators.svc:SVC",
        "support vector machine: the widest margin between classes, in the space of a kernel",
        {"C": [0.1, 1.0, 10.0, 100.0], "kernel": ["linear", "rbf"], "gamma": ["scale", 0.01, 0.1]},
    ),
    Learner(
        "knn",
        "neighbors",
        "vaglio.learners.neighbors.estimators.knn:KNeighborsClassifier",
        "k nearest neighbours: the most similar training rows vote; numbers, categories and missing values",
        {"weights": ["uniform", "distance", "squared_distance"], "p": [1, 2]},
        settings={"n_neighbors": "cv"},  # a few rows or many: tables differ more in this than in anything else
    ),
    Learner(
        "bagging",
        "ensemble",
        "vaglio.learners.ensembles.estimators.bagging:BaggingClassifier",
        "bagging: decision trees on bootstrap samples, by vote",
        {"n_estimators": [25, 50, 100], "max_features": [0.5, 1.0]},
    ),
    Learner(
        "random-forest",
        "forest",
        "vaglio.learners.forest.estimators.random_forest:RandomForestClassifier",
        "random forest: fully grown trees, random columns at every split",
        {"max_features": ["sqrt", "log2", "third"], "min_samples_leaf": [1, 3, 5]},
    ),
    Learner(
        "adaboost",
        "ensemble",
        "vaglio.learners.ensembles.estimators.adaboost:AdaBoostClassifier",
        "AdaBoost: small trees in sequence, each with more weight on rows the earlier ones predicted wrong",
        {"max_depth": [1, 2, 3, 5], "n_estimators": [50, 100, 200], "learning_rate": [0.3, 1.0]},
        settings={"max_depth": 3},  # a stump loses ten points where there are many classes
    ),
    Learner(
        "gradient-boosting",
        "boosted",
        "vaglio.learners.boosting.estimators.gradient_boosting:HistGradientBoostingClassifier",
        "gradient boosting: small trees in sequence, each fitted to what the earlier ones leave over",
        {
            "learning_rate": [0.03, 0.05, 0.1],
            "max_leaf_nodes": [4, 8, 16, 31],
            "min_samples_leaf": [5, 20, 50],
            "l2_regularization": [0.0, 1.0, 10.0],
            "max_features": [0.3, 1.0],
            "subsample": [0.5, 0.7, 1.0],
        },
        textbook={
            "learning_rate": 0.3,
            "max_iter": 10,
            "max_leaf_nodes": 4,
            "min_samples_leaf": 2,
            "max_features": 1.0,
            "subsample": 1.0,
            "early_stopping": False,
        },
    ),
    Learner(
        "additive",
        "additive",
        "vaglio.learners.additive.estimators.additive:ExplainableBoostingClassifier",
        "additive model: one table of scores per column and pair of columns, boosted in small steps",
        {
            "learning_rate": [0.02, 0.05, 0.1],
            "max_leaves": [2, 3, 5],
            "min_samples_leaf": [2, 4, 20],
            "interactions": [0, "1x", "3x"],
        },
    ),
    Learner(
        "voting",
        "voting",
        "vaglio.learners.ensembles.estimators.voting:VotingClassifier",
        "vote of different learners: by majority or mean probability, each with its weight",
        {"voting": ["hard", "soft"]},
    ),
    Learner(
        "foil",
        "rules",
        "vaglio.learners.rules.estimators.foil:FOILClassifier",
        "FOIL rules: grown by information gain, class by class, kept if they are accurate enough",
        {"min_accuracy": [0.6, 0.7, 0.8, 0.9], "min_positive": [1.0, 2.0, 5.0]},
    ),
    Learner(
        "cn2",
        "rules",
        "vaglio.learners.rules.estimators.cn2:CN2Classifier",
        "CN2 rules: the best significant conjunction of a beam search, then the next; a list or a set",
        {"mode": ["ordered", "unordered"], "measure": ["entropy", "laplace", "m-estimate"], "min_covered": [1.0, 5.0]},
    ),
    Learner(
        "aq",
        "rules",
        "vaglio.learners.rules.estimators.aq:AQClassifier",
        "AQ rules: conjunctions that cover a seed row and few rows of other classes",
        {"beam_width": [1, 5, 10], "min_accuracy": [0.8, 0.9, 1.0]},
    ),
    Learner(
        "ripper",
        "rules",
        "vaglio.learners.rules.estimators.ripper:RIPPERClassifier",
        "RIPPER rules: few and short, grown and pruned on separate rows, revised by description length",
        {"optimizations": [0, 2, 5], "min_positive": [1.0, 2.0, 5.0], "folds": [3, 5]},
        settings={"optimizations": 5},  # two passes, as the author has them, leave half a point on tables left out
    ),
):
    add_learner(_learner)


def find(learner_id: str) -> Learner:
    """Return the learner with this id, or say what is near it.

    Parameters
    ----------
    learner_id : str
    """
    if learner_id in LEARNERS:
        return LEARNERS[learner_id]
    hint = did_you_mean(learner_id, LEARNERS, most=len(LEARNERS))
    raise InputError(f"There is no learner {learner_id!r}: {hint}")
