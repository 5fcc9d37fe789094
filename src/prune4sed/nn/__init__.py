"""Building blocks of the models, one idea per file. Everything here needs torch."""

from prune4sed.waiting import wait_briefly

wait_briefly()
