"""The models of this family: frozen data that classifies encoded rows."""
