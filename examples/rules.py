"""Rules: four learners of rules, the measures of a rule, and rules that a person writes or forbids."""

import vaglio

X, y = vaglio.datasets.load("penguins").xy("species")

# Four learners of rules. RIPPER prunes and stops by description length: its rules are few and short.
for learner in (
    vaglio.RIPPERClassifier(),
    vaglio.FOILClassifier(),
    vaglio.CN2Classifier(),
    vaglio.AQClassifier(),
):
    rules = learner.fit(X, y).rules()
    name = type(learner).__name__.removesuffix("Classifier")
    conditions = sum(len(rule.conditions) for rule in rules)
    print(f"{name:7} {len(rules):2} rules, {conditions:2} conditions, training accuracy {learner.score(X, y):.3f}")

rules = vaglio.RIPPERClassifier().fit(X, y).rules()
print(f"\nThe rules of RIPPER; the first one that matches decides:\n{rules}")

# The measures of a rule.
first = rules[0]
print(f"\nThe first covers {first.coverage:.1%} of all rows, with an accuracy of {first.accuracy:.1%};")
print(f"it covers {first.class_coverage:.1%} of its class, with a lift of {first.lift:.1f}.")

# A person may know more: future penguins come from other islands, so the island must not be used.
print(f"\nWithout the island:\n{vaglio.RIPPERClassifier(forbid=['island']).fit(X, y).rules()}")

# Rules can also be written by hand. refit keeps the conditions and learns the class counts of each rule.
mine = vaglio.RuleSet.parse("""
IF flipper_length_mm > 206 THEN Gentoo
IF bill_length_mm > 43 THEN Chinstrap
ELSE Adelie
""")
print(f"\nBy hand, accuracy {mine.score(X, y):.3f}:\n{mine.refit(X, y)}")

# A tree can be written as rules; simplify shortens them, as C4.5rules does.
tree = vaglio.C45Classifier().fit(X, y)
short = tree.rules().simplify(X, y)
print(f"\nThe tree has {len(tree.rules())} rules, simplified {len(short)}:\n{short}")

# Rules can be written as SQL for a database.
print(f"\n{short.to_sql('birds')}")
