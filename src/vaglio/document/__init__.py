"""A trace as plain data: sections of sentences, formulas and tables, pictures beside them, and their renderers."""
