"""Members of ensembles that are trees on bins: grown together, or on rows that are weighed anew."""
