"""Rule learners: FOIL, CN2, AQ, RIPPER."""

import vaglio.runtime.scikit_learn  # noqa: F401 - before a learner imports it with all that it hardly uses
