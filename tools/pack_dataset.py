"""Built datasets as small files, and back: pairs are drawn again, so that labels are all that travels.

    python tools/pack_dataset.py pack DATASET ... --out FOLDER
    python tools/pack_dataset.py unpack FILE ... --out FOLDER

300,000 pairs of CiteSeer take 71 MB on disk, and 1.5 MB like this. For the seven datasets and molecules,
with the standard queries; unpacking needs the raw data where `prune4sed data build` finds it, and gives the
same bytes that were built. Labels that are not of the pairs drawn are refused.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from prune4sed.atomic import replacing
from prune4sed.datasets import load
from prune4sed.datasets.building import draw, standard_groups
from prune4sed.datasets.catalogue import canonical
from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.dataset_write import write
from prune4sed.datasets.label_codec import decode, encode, read_header
from prune4sed.datasets.labelling import Labels, mapping_width
from prune4sed.datasets.raw import raw_file, read_raw
from prune4sed.datasets.sampled import SampledSet
from prune4sed.datasets.table import PairTable
from prune4sed.errors import FormatError, Prune4SEDError

# Sets that every dataset has; all others are drawn together or not at all.
SETS = ("train", "validation", "test")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("pack", "unpack"))
    parser.add_argument("paths", nargs="+", help="names or folders of datasets; files that were packed")
    parser.add_argument("--out", type=Path, required=True, help="a folder for all of them")
    args = parser.parse_args()
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        for path in args.paths:
            made = pack(load(path), args.out) if args.what == "pack" else unpack(Path(path), args.out)
            print(made, flush=True)
    except (Prune4SEDError, OSError) as problem:
        sys.exit(f"pack_dataset: {problem}")


def pack(data: Dataset, out: Path) -> Path:
    """The labels of a dataset, and what its pairs are drawn by."""
    canonical(data.name)  # one's own cannot be drawn again
    sampled = {
        name: SampledSet(name, one.queries, one.targets, one.pairs.index) for name, one in data.items()
    }
    labels = {name: _labels_of(data[name], sampled[name]) for name in data}
    limits = {name: known["node_limit"] for name, known in data.info["sets"].items()}
    path = out / f"{data.name}-{data.seed}.labels"
    told = {"name": data.name, "seed": data.seed, "info": data.info}
    with replacing(path) as temporary:
        temporary.write_bytes(encode(sampled, labels, limits, told))
    return path


def _labels_of(one: PairSet, sampled: SampledSet) -> Labels:
    columns = one.pairs.lower, one.pairs.upper, one.pairs.mapping[:, : mapping_width(sampled)]
    return Labels(*(np.ascontiguousarray(column, dtype=np.int32) for column in columns))


def unpack(path: Path, out: Path) -> Path:
    """The dataset that was packed."""
    data = path.read_bytes()
    header = read_header(data)
    told, sizes = header["meta"], {name: one["pairs"] for name, one in header["sets"].items()}
    name, seed = told["name"], told["seed"]
    extras = len(sizes) > len(SETS)
    numbers = sizes["train"], sizes["validation"], sizes["test"]
    sampled, _ = draw(name, read_raw(name, raw_file(name)), standard_groups(name), numbers, seed, extras)
    labels = decode(data, sampled)
    if labels.keys() != sampled.keys():  # other raw data, or another version of the protocol
        raise FormatError(f"{path} has labels of other pairs than seed {seed} gives here")
    sets = dict(_labelled(sampled, labels))
    folder = out / path.stem
    write(Dataset(name, seed, sets, told["info"]), folder)
    return folder


def _labelled(sampled: dict[str, SampledSet], labels: dict[str, Labels]) -> Iterator[tuple[str, PairSet]]:
    for name, one in sampled.items():
        bounds = (bound.astype(np.float64) for bound in (labels[name].lower, labels[name].upper))
        yield name, PairSet(one.queries, one.targets, PairTable(one.index, *bounds, labels[name].mapping))


if __name__ == "__main__":
    main()
