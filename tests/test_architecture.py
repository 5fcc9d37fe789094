"""A lower room never imports a higher one, not even inside a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import prune4sed

PACKAGE = Path(prune4sed.__file__).parent

# From the ground up; names on one floor may import each other. New rooms go where they belong.
FLOORS = [
    {"errors", "waiting"},
    {"labels", "atomic", "graph", "graph_check", "convert"},
    {"graphset", "graphset_build", "graphset_file", "arrays", "ids"},
    {"formats"},
    {"_native", "exact"},
    {"datasets"},
    {"nn"},
    {"models"},
    {"training"},
    {"search"},
    {"report"},
    {"studies"},
    {"cli"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


def _imports(file: Path) -> Iterator[tuple[int, str]]:
    """Line and room of every import of our own package, wherever in the file it stands."""
    package = ["prune4sed", *file.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "prune4sed" and len(parts) > 1:
                yield node.lineno, parts[1]


def _room(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_room_has_a_floor() -> None:
    rooms = {_room(file) for file in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    assert rooms <= set(FLOOR), f"give these a floor: {rooms - set(FLOOR)}"


def test_no_room_imports_a_higher_one() -> None:
    wrong = []
    for file in PACKAGE.rglob("*.py"):
        room = _room(file)
        if room in ("__init__", "__main__"):  # the front door sees the whole house
            continue
        for line, other in _imports(file):
            # A name of the package itself, such as __version__ or a lazy export, must come from its own room.
            assert other in FLOOR or other == "__version__", f"{file.name}:{line} imports prune4sed.{other}"
            if FLOOR.get(other, -1) > FLOOR[room]:
                wrong.append(f"{file.relative_to(PACKAGE)}:{line}: {room} imports {other}")
    assert not wrong, "\n".join(wrong)


def test_nothing_is_pickled() -> None:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [a.name for a in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"} & set(names), file
