"""Models as PMML 4.4, with the elements that the standard has for each of them."""
