"""How boosting works, step by step."""
