"""Models that predict subgraph edit distance. Everything here needs torch."""
