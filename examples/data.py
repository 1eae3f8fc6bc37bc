"""Knowing the table: kinds and levels of columns, what is wrong with them, and which are informative."""

import io

import vaglio
from vaglio.quality import describe, rank_attributes, statistic

# A table with errors. read finds semicolons and decimal commas; the order of the sizes must be given.
TYPED = """\
patient;size;temperature;weight;ill
P1;small;36,6;61,5;no
P2;large;38,9;80,1;yes
P3;medium;37,2;;no
P4;large;40,1;999;yes
P5;small;36,8;58,0;no
P5;small;36,8;58,0;no
P6;medium;39,5;71,2;yes
P7;large;36,9;77,4;no
"""
table = vaglio.read(io.StringIO(TYPED), target="ill", levels={"size": ["small", "medium", "large"]})
print(table)

# The level of a column says which statistics are meaningful.
print("\nmedian size:", statistic(table.column("size"), "median"))
try:
    statistic(table.column("size"), "mean")
except ValueError as refusal:
    print("mean size:", refusal)
weight = describe(table.column("weight"))
print(f"weight: {weight['level']}, median {weight['median']}, {weight['missing']} missing")

# The audit finds what is wrong and says what to do: a weight of 999 kilograms is an outlier.
found = vaglio.audit(table, rules={"weight": (20, 300)})
print(f"\n{found}")

# Cleaning returns a new table and a log. It imputes nothing, because imputation must be learned from training rows.
cleaned = found.clean(duplicates="drop")
print(f"\n{cleaned.table.shape[0]} rows are left:")
for done in cleaned.log:
    print(" -", done)

# Information gain: how many bits of information about the class each column has.
play = vaglio.datasets.load("play")
print("\nAttributes of the play table, best first")
for score in rank_attributes(play, "play"):
    print(f"  {score.attribute:12} {score.gain:.4f} bits, gain ratio {score.gain_ratio:.4f}")

# An identifier has the largest gain but is useless for new rows. read recognizes it and leaves it out.
named = vaglio.read(play.to_frame().assign(day=[f"D{i + 1}" for i in range(14)]), target="play")
best = max(rank_attributes(named.with_roles({"day": "input"}), "play"), key=lambda score: score.gain)
print(f"\nwith an identifier: {best.attribute} has the largest possible gain, {best.gain:.4f} bits.")
print("remarks while reading:", *named.remarks, sep="\n - ")
