"""The learners, one estimator a file: ``fit(X, y)`` leaves a :class:`~vaglio.fitted.Fitted`."""
