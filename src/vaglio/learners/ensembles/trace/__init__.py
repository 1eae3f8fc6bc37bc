"""How the learners of this family work, step by step."""
