"""Linear models and the multi-layer perceptron."""
