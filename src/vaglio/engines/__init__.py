"""Learning in passes over rows that do not fit in memory: the protocol, and the engines that drive it."""
