"""Building blocks of the models, one idea per file. Everything here needs torch."""
