"""Search in libraries of graphs: the index, certified bounds for all targets, the cascade, and its hits."""
