"""Small faults put into the package, one at a time: do the tests notice? ``make mutants`` samples them."""
