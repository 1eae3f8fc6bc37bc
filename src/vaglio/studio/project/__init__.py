"""The work of a user in one folder: the tables, the steps that were taken, the runs of learners."""
