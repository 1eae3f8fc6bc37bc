"""Learners side by side, and the tests that say whether they differ."""
