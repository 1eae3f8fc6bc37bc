"""Rules: conditions, rules, rule sets, how conflicts are resolved, and their exports."""
