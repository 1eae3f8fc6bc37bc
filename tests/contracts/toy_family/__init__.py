"""A toy family, the nearest class mean: a folder as it would stand in ``vaglio/learners``."""
