"""Pictures from plain data: this room knows no learner."""
