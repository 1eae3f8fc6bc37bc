"""The parts of each family of models."""
