"""Random forests, similarity of rows, and imputation by forests."""
