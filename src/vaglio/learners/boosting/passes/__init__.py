"""Learning in passes over rows that are not in memory."""
