"""What additive models are learned from: bags of rows, pairs of columns, terms."""
