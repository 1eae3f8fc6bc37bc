"""What programs on the web share: limits, tokens, problems as answers, pages, processes. serve/ answers with models."""
