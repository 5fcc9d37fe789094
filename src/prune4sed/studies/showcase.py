"""Query, target, and the target after hard and soft pruning, with the optimal match ringed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from prune4sed.datasets.dataset import PairSet
from prune4sed.report.markup import Html
from prune4sed.report.picture_sheet import Panel, picture_sheet
from prune4sed.studies.drawn_pair import DrawnPair, draw_pair
from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.match_kept import match_kept
from prune4sed.studies.pair_pictures import PairArtist, shared_colours
from prune4sed.studies.paper import title_of
from prune4sed.studies.pruner import pruner_cells
from prune4sed.studies.readable_pairs import one_target_each
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Setting
from prune4sed.studies.study import Cell, Pictures, Study
from prune4sed.training.subset import some_pairs

if TYPE_CHECKING:
    from prune4sed.labels import Label
    from prune4sed.models.prune4sed import Prune4SED

__all__ = ["Showcase"]

_PAIRS = {False: 200, True: 20}
_TARGETS, _QUERIES = 2, 2
_TOLD = (
    "Two targets of each dataset, each with two queries, as Prune4SED prunes them: another query, another "
    "pruning. `hard`: what is left of the target; hollow dots are gone. `soft`: a node is as large as its "
    "keep probability (from the smallest to the largest of the pair). Of the heads, the one that prunes "
    "most is shown. Red rings mark the optimal match that the exact engine found. The seed draws the "
    "targets, of 14 to 40 nodes and more than one label, and queries of 0.3 to 0.6 times as many nodes, "
    "of which the nearest two are shown; nothing is chosen by hand."
)
_COLUMNS = (
    "Over random pairs of the test set and all heads: the share of target nodes that hard pruning leaves, "
    "the share of the nodes of the known best match that it leaves, and how likely a matched node has a "
    "larger keep probability than another one of its target (0.5 is chance; there may be other matches as "
    "good)."
)


class Showcase(Study):
    """Four pairs of each dataset, drawn."""

    name = "showcase"
    title = "Pruned targets, drawn"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        return pruner_cells(setting, _PAIRS, partial(_look, setting.seed))

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        return {
            f"showcase-{entry['key']['dataset']}.svg": _sheet(entry["key"]["dataset"], entry["figures"])
            for entry in record.entries()
            if "figures" in entry
        }

    def page(self, record: Record) -> str:
        titles = ["dataset", "pairs", "nodes left", "matched nodes left", "matched above others"]
        rows = [
            [title_of(entry["key"]["dataset"]), *_row(entry.get("figures"))] for entry in record.entries()
        ]
        return "\n\n".join([_TOLD, "## In numbers", _COLUMNS, table(titles, rows)])


def _look(seed: int, model: Prune4SED, one: PairSet, count: int) -> Mapping[str, Any]:
    drawn = [draw_pair(model, *pair) for pair in one_target_each(one, _TARGETS, _QUERIES, seed)]
    figures = match_kept(model, some_pairs(one, count, seed))
    return {**figures, "drawn": [pair.to_json() for pair in drawn]}


def _sheet(name: str, found: Mapping[str, Any]) -> Html:
    pairs = [DrawnPair.from_json(told) for told in found["drawn"]]
    colours = shared_colours(pairs)
    return picture_sheet([_panels(pair, colours) for pair in pairs], [title_of(name)], (230, 170))


def _panels(pair: DrawnPair, colours: dict[Label, str]) -> list[Panel]:
    artist = PairArtist(pair, colours)
    head = int(pair.kept.sum(axis=1).argmin())
    return [
        artist.query(),
        artist.target(),
        artist.pruned(head, "hard", soft=False),
        artist.pruned(head, "soft"),
    ]


def _row(found: Mapping[str, Any] | None) -> list[str]:
    if found is None:
        return [MISSING] * 4
    return [str(found["pairs"]), *(figure(found[name]) for name in ("kept", "match_kept", "auc"))]
