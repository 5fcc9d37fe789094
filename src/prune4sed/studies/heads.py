"""Five heads prune a target differently: drawn, and in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from prune4sed.datasets.dataset import PairSet
from prune4sed.report.picture_sheet import picture_sheet
from prune4sed.studies.drawn_pair import DrawnPair, draw_pair
from prune4sed.studies.head_figures import head_figures
from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.pair_pictures import PairArtist, shared_colours
from prune4sed.studies.paper import title_of
from prune4sed.studies.pruner import pruner_cells
from prune4sed.studies.readable_pairs import one_target_each
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Setting
from prune4sed.studies.study import Cell, Pictures, Study
from prune4sed.training.subset import some_pairs

if TYPE_CHECKING:
    from prune4sed.models.prune4sed import Prune4SED

__all__ = ["Heads"]

_PAIRS = {False: 200, True: 20}
_TOLD = (
    "Every head of Prune4SED prunes the target in its own way, unless each was taught the distance by itself "
    "(`head_weight`, as for those that ship), which makes them more alike. The prediction is the mean of "
    "what they say. In the picture a node is as large as its keep probability (from the smallest to the "
    "largest of the row), hollow dots are nodes that hard pruning takes away, and red rings mark the "
    "optimal match that the exact engine found. The seed draws the target, and some queries, of which the "
    "nearest is shown."
)
_COLUMNS = (
    "`best nodes` and `kept nodes`: Jaccard index of the five nodes that a head likes best, and of the nodes "
    "that hard pruning leaves, the mean over pairs of heads (1: all heads choose the same). `keep "
    "probabilities`: their correlation between heads. `spread`: standard deviation of the heads' "
    "predictions for one pair. RMSE as in the accuracy study, of the best and the worst head alone and of "
    "their mean."
)


class Heads(Study):
    """How alike the heads are over 200 pairs, and one pair of each dataset as every head sees it."""

    name = "heads"
    title = "Five heads prune in different ways"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        return pruner_cells(setting, _PAIRS, partial(_look, setting.seed))

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        rows, headings = [], []
        for entry in record.entries():
            if "figures" in entry:
                pair = DrawnPair.from_json(entry["figures"]["drawn"])
                artist = PairArtist(pair, shared_colours([pair]))
                heads = [artist.pruned(head, f"head {head + 1}") for head in range(len(pair.keep))]
                rows.append([artist.query(), artist.target(), *heads])
                headings.append(f"{title_of(entry['key']['dataset'])}: SED {pair.distance}")
                headings[-1] += f", predicted {pair.predicted:.1f}"
        return {"heads.svg": picture_sheet(rows, headings)} if rows else {}

    def page(self, record: Record) -> str:
        titles = ["dataset", "pairs", "best nodes", "kept nodes", "keep probabilities", "spread"]
        titles += ["RMSE, best head", "worst head", "mean of heads"]
        rows = [
            [title_of(entry["key"]["dataset"]), *_row(entry.get("figures"))] for entry in record.entries()
        ]
        return "\n\n".join([_TOLD, "## How different they are", _COLUMNS, table(titles, rows)])


def _look(seed: int, model: Prune4SED, one: PairSet, count: int) -> Mapping[str, Any]:
    (query, target), *_ = one_target_each(one, 1, 1, seed)
    drawn = draw_pair(model, query, target)
    return {**head_figures(model, some_pairs(one, count, seed)), "drawn": drawn.to_json()}


def _row(found: Mapping[str, Any] | None) -> list[str]:
    if found is None:
        return [MISSING] * 8
    alike = [found[name] for name in ("jaccard_best", "jaccard_kept", "correlation", "spread")]
    errors = [min(found["rmse_heads"]), max(found["rmse_heads"]), found["rmse_mean"]]
    return [str(found["pairs"]), *(figure(value) for value in [*alike, *errors])]
