"""A trace as text, HTML or LaTeX. Nothing is computed here."""
