"""Models and solvers that predict subgraph edit distance; the neural ones need torch, the solvers do not."""
