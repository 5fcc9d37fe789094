"""A match of two molecules as a picture: side by side, what matched and what was edited in colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prune4sed.errors import FormatError, OptionError, require
from prune4sed.report.marks import Marks, match_marks

if TYPE_CHECKING:
    from prune4sed.exact.result import SedResult

Colour = tuple[float, float, float]

MATCHED: Colour = (0.66, 0.87, 0.69)
EDITED: Colour = (0.99, 0.71, 0.47)
INK: Colour = (0.2, 0.2, 0.2)
PANEL = (420, 340)
FOOT = 56  # room for the two lines below the molecules


def match_svg(query: str, target: str, result: SedResult) -> str:
    """Draw a match as SVG.

    Parameters
    ----------
    query, target
        SMILES of the molecules that were compared, as they were given: atom numbers must be those of the
        graphs.
    result
        The distance between them, with its mapping.

    Returns
    -------
    str
        An SVG document.

    Examples
    --------
    >>> from prune4sed import Graph
    >>> from prune4sed.exact import EditCosts, SedResult
    >>> q, t = Graph.from_smiles("CO"), Graph.from_smiles("CN")
    >>> r = SedResult(1.0, 1.0, (0, 1), 0, 0.0, q, t, EditCosts())
    >>> "<svg" in match_svg("CO", "CN", r)
    True
    """
    drawing = require("rdkit.Chem.Draw.rdMolDraw2D", "chem", "to draw molecules")
    return str(_draw(drawing.MolDraw2DSVG, query, target, result))


def match_png(query: str, target: str, result: SedResult) -> bytes:
    """Draw a match as PNG; the parameters are those of `match_svg`.

    Returns
    -------
    bytes
        A PNG image.
    """
    drawing = require("rdkit.Chem.Draw.rdMolDraw2D", "chem", "to draw molecules")
    return bytes(_draw(drawing.MolDraw2DCairo, query, target, result))


def _draw(canvas: Any, query: str, target: str, result: SedResult) -> Any:
    """Draw on an rdkit canvas class and return what it holds in the end."""
    molecules = [_molecule(query, len(result.query.labels)), _molecule(target, len(result.target.labels))]
    _lay_out(molecules[0], molecules[1], result)
    marks = match_marks(result)
    for number in sorted({n for edit in result.edits for n in (edit.edge or (edit.node,)) if n is not None}):
        molecules[0].GetAtomWithIdx(number).SetProp("atomNote", str(number))
    colours = [_colours(molecule, mark) for molecule, mark in zip(molecules, marks, strict=True)]
    board = canvas(2 * PANEL[0], PANEL[1] + FOOT, PANEL[0], PANEL[1])
    _style(board)
    board.DrawMolecules(
        molecules,
        highlightAtoms=[list(atoms) for atoms, _ in colours],
        highlightBonds=[list(bonds) for _, bonds in colours],
        highlightAtomColors=[atoms for atoms, _ in colours],
        highlightBondColors=[bonds for _, bonds in colours],
        legends=[_title(result.query.id, "query"), _title(result.target.id, "target")],
    )
    _foot(board, result)
    board.FinishDrawing()
    return board.GetDrawingText()


def _molecule(smiles: str, size: int) -> Any:
    """The molecule, checked to be the one behind the graph."""
    chem = require("rdkit.Chem", "chem", "to draw molecules")
    molecule = chem.MolFromSmiles(smiles)
    if molecule is None:
        raise FormatError(f"cannot draw {smiles!r}: it is not a valid SMILES string")
    if molecule.GetNumAtoms() != size:
        raise OptionError(
            f"cannot draw {smiles!r}: it has {molecule.GetNumAtoms()} atoms, the graph {size} nodes"
        )
    return molecule


def _lay_out(query: Any, target: Any, result: SedResult) -> None:
    """Give both molecules coordinates, and turn the query the way its image lies in the target."""
    depict = require("rdkit.Chem.rdDepictor", "chem", "to draw molecules")
    align = require("rdkit.Chem.rdMolAlign", "chem", "to draw molecules")
    depict.SetPreferCoordGen(False)
    for molecule in (query, target):
        depict.Compute2DCoords(molecule)
        depict.StraightenDepiction(molecule)
    pairs = [(u, v) for u, v in enumerate(result.mapping) if v is not None]
    if len(pairs) > 1:
        align.AlignMol(query, target, atomMap=pairs)


def _colours(molecule: Any, marks: Marks) -> tuple[dict[int, Colour], dict[int, Colour]]:
    """Colours of marked atoms and bonds, by rdkit's numbers."""
    shade = {True: MATCHED, False: EDITED}
    bonds = {molecule.GetBondBetweenAtoms(a, b).GetIdx(): shade[kept] for (a, b), kept in marks.edges.items()}
    return {u: shade[kept] for u, kept in marks.nodes.items()}, bonds


def _style(board: Any) -> None:
    """Quiet drawing options: black ink, so that colour means the match and nothing else."""
    options = board.drawOptions()
    options.useBWAtomPalette()
    options.fillHighlights = True
    options.continuousHighlight = True
    options.highlightBondWidthMultiplier = 14
    options.highlightRadius = 0.32
    options.legendFontSize = 17
    options.annotationFontScale = 0.7
    options.fixedBondLength = 34
    options.padding = 0.08


def _foot(board: Any, result: SedResult) -> None:
    """The line that says what the colours mean, and the answer with its edits."""
    point = require("rdkit.Geometry", "chem", "to draw molecules").Point2D
    width, top = 2 * PANEL[0], PANEL[1]
    board.SetFillPolys(True)
    for left, colour in ((width / 2 - 130, MATCHED), (width / 2 + 30, EDITED)):
        board.SetColour(colour)
        board.DrawRect(point(left, top + 6), point(left + 14, top + 20), True)
    board.SetColour(INK)
    board.SetFontSize(14)
    for left, words in ((width / 2 - 110, "matched"), (width / 2 + 50, "edited")):
        board.DrawString(words, point(left + 4 * len(words), top + 13), 0, True)
    board.DrawString(_summary(result), point(width / 2, top + 40), 0, True)


def _title(name: str | None, fallback: str) -> str:
    """The legend below a molecule, cut before it runs into its neighbour's."""
    title = fallback if name is None else f"{fallback}: {name}"
    return title if len(title) <= 48 else title[:47] + "…"


def _summary(result: SedResult) -> str:
    """The answer in one line, cut to the width of the picture."""
    edits = "; ".join(edit.words(molecule=True) for edit in result.edits)
    line = f"{result!r}" + (f": {edits}" if edits else ": contained as it is")
    return line if len(line) <= 110 else line[:109] + "…"
