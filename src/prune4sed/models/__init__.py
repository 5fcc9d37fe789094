"""Models and solvers that predict subgraph edit distance; the neural ones need torch, the solvers do not."""

from prune4sed.waiting import wait_briefly

wait_briefly()
