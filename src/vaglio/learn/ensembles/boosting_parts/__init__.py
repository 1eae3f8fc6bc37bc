"""Parts of gradient boosting that stand by themselves."""
