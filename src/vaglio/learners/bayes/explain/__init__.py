"""Why a Bayes classifier decided so: by the evidence of its attributes, or by the counts of words."""
