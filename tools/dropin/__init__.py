"""scikit-learn's own tests, run with vaglio's classes in place of scikit-learn's."""
