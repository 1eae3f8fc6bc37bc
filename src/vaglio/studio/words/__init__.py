"""What the studio says, in one module per language, all with the same keys."""
