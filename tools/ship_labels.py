"""Label the standard sets and put the labels into the package: src/prune4sed/datasets/labels/NAME.labels.

    python tools/ship_labels.py [NAME ...] [--sets test,strict_test] [--seconds 500] [--threads 16]

Hours of work on two cores, so it is made to be done in slices: every finished pair is in a journal under
PRUNE4SED_HOME, and the next run goes on from there, on this machine or on another that the journals are
copied to. A dataset's file is written with the sets that are complete. What the work took is appended to
`label-times.jsonl` beside the journals.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from prune4sed.atomic import replacing
from prune4sed.datasets.building import draw, standard_groups
from prune4sed.datasets.catalogue import ALL, canonical
from prune4sed.datasets.home import home
from prune4sed.datasets.label_codec import encode
from prune4sed.datasets.label_run import LabelRun
from prune4sed.datasets.labelling import Labels
from prune4sed.datasets.raw import raw_file, read_raw
from prune4sed.datasets.sampled import SampledSet

LABELS = Path(__file__).parents[1] / "src" / "prune4sed" / "datasets" / "labels"
# What is evaluated on comes first, what is trained on next.
ORDER = ["test", "strict_test", "train", "validation", "large_queries"]


class OutOfTime(Exception):
    """The slice is over; what is finished is in the journal."""


@dataclass
class Slice:
    """One run of this tool: how long it may last, and what to note about it."""

    ends: float
    threads: int

    def label(self, run: LabelRun, name: str) -> Labels | None:
        """The labels of one set, or None if the time does not suffice."""
        began, first, last = time.monotonic(), -1, 0

        def watch(done: int, total: int) -> None:
            nonlocal first, last
            first, last = (done if first < 0 else first), done
            if done < total and time.monotonic() > self.ends:
                raise OutOfTime

        try:
            return run.compute(name, watch)
        except OutOfTime:
            return None
        finally:
            if last > first >= 0:
                self._note(run.dataset, name, last - first, time.monotonic() - began)
            total = len(run.sets[name])
            print(f"{run.dataset} {name}: {last} of {total}, {time.monotonic() - began:.0f} s", flush=True)

    def _note(self, dataset: str, name: str, pairs: int, seconds: float) -> None:
        record = {
            "dataset": dataset,
            "set": name,
            "pairs": pairs,
            "seconds": seconds,
            "threads": self.threads,
        }
        with (home() / "label-times.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps({**record, "threads": self.threads}) + "\n")


def main() -> None:
    """Label what is asked for, as far as the time goes, and write what is complete."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="datasets; all by default")
    parser.add_argument("--sets", help="only these sets, separated by commas")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="how long the slice may last")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-write", action="store_true", help="leave the package as it is")
    asked = parser.parse_args()
    only = None if asked.sets is None else asked.sets.split(",")
    part = Slice(time.monotonic() + asked.seconds, asked.threads)
    chosen = [canonical(name) for name in asked.names] or list(ALL)
    runs = {name: LabelRun(name, _sample(name), threads=part.threads, resume=True) for name in chosen}
    found: dict[str, dict[str, Labels]] = {name: {} for name in runs}
    for name, one in _work(runs, only):
        labels = part.label(runs[name], one)
        if labels is not None:
            found[name][one] = labels
    if not asked.no_write:
        for name, complete in found.items():
            _write(runs[name], complete)


def _sample(name: str) -> dict[str, SampledSet]:
    return draw(name, read_raw(name, raw_file(name)), standard_groups(name))[0]


def _work(runs: dict[str, LabelRun], only: list[str] | None) -> list[tuple[str, str]]:
    """Sets to label, the most important first."""
    work = [(name, one) for name, run in runs.items() for one in run.sets if only is None or one in only]
    return sorted(work, key=lambda item: ORDER.index(item[1]) if item[1] in ORDER else len(ORDER))


def _write(run: LabelRun, labels: dict[str, Labels]) -> None:
    if not labels:
        return
    ordered = {name: one for name, one in run.sets.items() if name in labels}
    data = encode(ordered, {name: labels[name] for name in ordered}, run.limits())
    with replacing(LABELS / f"{run.dataset}.labels") as temporary:
        temporary.write_bytes(data)
    print(f"{run.dataset}: {len(labels)} of {len(run.sets)} sets, {len(data):,} bytes")


if __name__ == "__main__":
    main()
