"""Traces of the perceptron, logistic regression and the multi-layer perceptron."""
