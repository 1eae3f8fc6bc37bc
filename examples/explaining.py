"""Explanations and traces: why a row got its class, and how the model was learned, step by step."""

import vaglio

# One penguin, five learners, one form of explanation: decision, runner-up, reasons for and against.
X, y = vaglio.datasets.load("penguins").xy("species")
bird = X[[19]]
print(bird.to_frame().to_string(index=False), "\n")
for learner in (
    vaglio.C45Classifier(),
    vaglio.RIPPERClassifier(),
    vaglio.NaiveBayesClassifier(),
    vaglio.LogisticRegression(),
    vaglio.KNeighborsClassifier(3),
):
    print(f"{type(learner).__name__}: {learner.fit(X, y).explain(bird)[0]}\n")

# The same as data, for other programs.
reasons = vaglio.C45Classifier().fit(X, y).explain(bird)[0].to_dict()
print("as data:", sorted(reasons))

# How a tree is learned: every attribute that was compared, and the one that was chosen.
X, y = vaglio.datasets.load("play").xy("play")
work = vaglio.trace("id3", X, y)
print("", *work.to_text().splitlines()[:48], "…", sep="\n")

# The numbers themselves, for instance to check an exercise.
print("\nthe root tests:", work.facts["nodes"][0]["chosen"])

# A trace in Italian; to_html() makes a web page, to_latex() a LaTeX document.
lavagna = vaglio.trace("naive-bayes", X, y, row=["sunny", "cool", "high", "true"], lang="it")
print(f"\n{lavagna.to_text().splitlines()[0]}")
print(*(line for line in lavagna.to_text().splitlines() if line.startswith("    P(")), sep="\n")
