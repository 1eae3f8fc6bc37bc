"""The Bayes learners in passes: what is counted, and what is made of it."""
