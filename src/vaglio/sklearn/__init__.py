"""scikit-learn's module paths, names, parameters, defaults and numbers, learned by vaglio.

``from vaglio.sklearn.tree import DecisionTreeClassifier`` changes one import of a program and nothing else. Every
name of scikit-learn can be imported from here: what vaglio has no learner for is scikit-learn's own. :func:`patch` puts
vaglio's classes in place of scikit-learn's for a whole program, ``python -m vaglio.sklearn script.py`` does so from
outside.
"""

from __future__ import annotations

from vaglio.sklearn._names import Fallback, fallbacks, install, patch, top_level, unpatch

__all__ = ["Fallback", "fallbacks", "patch", "unpatch"]

install(__name__)
__getattr__ = top_level(__name__)
