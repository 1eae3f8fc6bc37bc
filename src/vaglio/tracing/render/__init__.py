"""From a Trace to text, HTML and LaTeX. Nothing is computed here."""
