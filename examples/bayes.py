"""Bayes: the product of fractions, the effect of a zero, and models that know more than naive Bayes."""

import numpy as np

import vaglio
from vaglio.table import Column

# P(class | day) is proportional to the product of the fractions below times the prior.
play = vaglio.datasets.load("play")
X, y = play.xy("play")
day = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "true"}
print(vaglio.NaiveBayesClassifier(alpha=0).fit(X, y).explain([day])[0])

# No overcast day has the class "no": its fraction is 0/5, and the product is 0 whatever the other fractions are. Adding
# alpha to every count avoids the zero.
overcast = {"outlook": "overcast", "temperature": "cool", "humidity": "high", "windy": "true"}
print("\nalpha   P(no | overcast, cool, high, windy)")
for alpha in (0, 0.5, 1, 10, 1000):
    share = vaglio.NaiveBayesClassifier(alpha=alpha).fit(X, y).predict_proba([overcast])[0, 0]
    print(f"{alpha:5}   {share:.4f}")

# Numbers need a density: one normal distribution per class, a smooth curve, or intervals. The accuracies are similar.
X, y = vaglio.datasets.load("penguins").xy("species")
print("\nlikelihood of numbers, accuracy on the third of the rows not used for training")
half = np.arange(len(y)) % 3 > 0
for likelihood in ("gaussian", "kde", "mdl"):
    model = vaglio.NaiveBayesClassifier(likelihood=likelihood).fit(X[half], y[half])
    print(f"  {likelihood:9} {model.score(X[~half], y[~half]):.3f}")

# Naive Bayes looks at each column alone. Here the class says whether two columns are equal, which it cannot learn.
coins = np.random.default_rng(0).integers(0, 2, (200, 2))
same = np.where(coins[:, 0] == coins[:, 1], "same", "different")
table = vaglio.Table(
    [Column.nominal(name, coins[:, i], ["head", "tail"]) for i, name in enumerate(("first", "second"))]
)
print("\nare two coins equal?")
for model in (vaglio.NaiveBayesClassifier(), vaglio.JointBayesClassifier(), vaglio.BayesianNetworkClassifier()):
    print(f"  {type(model).__name__:26} {model.fit(table, same).score(table, same):.3f}")

# A text is a bag of words: each class has its own word frequencies.
texts = ["win a prize now, call now", "free prize, claim now", "lunch at home tomorrow", "call me when you are home"]
letters = vaglio.Table([Column.text("letter", texts)])
spam = vaglio.MultinomialNB().fit(letters, ["spam", "spam", "ham", "ham"])
new = vaglio.Table([Column.text("letter", ["a free lunch, call now"])])
print(f"\n{spam.explain(new)[0]}")

# A model of P(x | class) can also generate rows: two new penguins.
bayes = vaglio.NaiveBayesClassifier(likelihood="gaussian").fit(X, y)
drawn = bayes.sample(2, label="Gentoo", random_state=0)
print(f"\n{drawn.round(1).to_string(index=False)}")
