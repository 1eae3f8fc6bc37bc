"""Gradient boosting under scikit-learn's names: the rows it prepares, rounds of vaglio, its own objects of trees."""
