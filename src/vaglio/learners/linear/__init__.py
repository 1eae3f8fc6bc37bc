"""Perceptron, logistic regression and the multi-layer perceptron."""
