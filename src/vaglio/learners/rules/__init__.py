"""Rule learners: FOIL, CN2, AQ, RIPPER."""
