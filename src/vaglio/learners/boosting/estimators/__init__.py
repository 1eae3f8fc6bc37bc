"""The estimators of this family, and what they learn with."""
