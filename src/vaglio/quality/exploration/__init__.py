"""Columns described, ranked by what they tell about the class, associated and drawn."""
