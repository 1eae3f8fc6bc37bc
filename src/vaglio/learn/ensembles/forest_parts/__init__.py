"""Parts of random forests: what each tree draws, growing the trees one by one, and the trees as estimators."""
