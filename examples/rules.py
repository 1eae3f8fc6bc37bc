"""Rules: four learners that find them, what a rule is worth, and rules that a person writes or forbids."""

import vaglio

X, y = vaglio.datasets.load("penguins").xy("species")

# Four ways to the same end. RIPPER prunes and stops by description length: few rules, short ones.
for learner in (
    vaglio.RIPPERClassifier(),
    vaglio.FOILClassifier(),
    vaglio.CN2Classifier(),
    vaglio.AQClassifier(),
):
    rules = learner.fit(X, y).rules()
    name = type(learner).__name__.removesuffix("Classifier")
    conditions = sum(len(rule.conditions) for rule in rules)
    print(f"{name:7} {len(rules):2} rules, {conditions:2} conditions, {learner.score(X, y):.3f} right on the rows seen")

rules = vaglio.RIPPERClassifier().fit(X, y).rules()
print(f"\nRIPPER's list, to be read from the top:\n{rules}")

# What a rule is worth.
first = rules[0]
print(f"\nThe first covers {first.coverage:.1%} of all rows and is right about {first.accuracy:.1%} of those;")
print(f"it finds {first.class_coverage:.1%} of its class, {first.lift:.1f} times more than chance would.")

# What a person knows better: tomorrow's penguins come from other islands.
print(f"\nWithout the island:\n{vaglio.RIPPERClassifier(forbid=['island']).fit(X, y).rules()}")

# Or all of it by hand. refit keeps the conditions and learns what each rule is worth.
mine = vaglio.RuleSet.parse("""
IF flipper_length_mm > 206 THEN Gentoo
IF bill_length_mm > 43 THEN Chinstrap
ELSE Adelie
""")
print(f"\nBy hand, {mine.score(X, y):.3f} right:\n{mine.refit(X, y)}")

# A tree is rules too, which simplify makes shorter, as C4.5rules does.
tree = vaglio.C45Classifier().fit(X, y)
short = tree.rules().simplify(X, y)
print(f"\nThe tree has {len(tree.rules())} rules, simplified {len(short)}:\n{short}")

# And rules leave as SQL for any database.
print(f"\n{short.to_sql('birds')}")
