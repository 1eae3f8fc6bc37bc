"""The learners, one estimator per file: ``fit(X, y)`` leaves a :class:`~vaglio.fitted.Fitted`."""
