"""The benchmark on the lab program's pairs: it reads them, and finds contradictions."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "lab_pairs.py"
# A path of two edges into an edge and a node apart: one edge is lost.
PAIR = "3 2\n0 0 0\n0 1 1 2\n3 1\n0 0 0\n0 1\n"


def _run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False)


def _folder(folder: Path, best: int, proven: int) -> Path:
    (folder / "paths.txt.gz").write_bytes(gzip.compress(PAIR.encode() * 2))
    (folder / "paths.values.txt").write_text(f"# idx best certified s\n0 {best} {proven} 0.5\n1 1 1 0.0005\n")
    return folder


@pytest.mark.parametrize(("best", "proven", "code"), [(1, 1, 0), (2, 0, 0), (2, 1, 1), (0, 0, 1)])
def test_contradictions_are_found(tmp_path: Path, best: int, proven: int, code: int) -> None:
    out = tmp_path / "out.json"
    done = _run(str(_folder(tmp_path, best, proven)), "--out", str(out))
    assert done.returncode == code, done.stderr
    row = json.loads(out.read_text())["datasets"]["paths"]
    assert row["pairs"] == 2
    assert row["contradictions"] == code
    assert row["only_engine"] == 1 - proven
    assert row["other"]["certified_0.1s"] == 50


def test_what_is_lacking_is_told_in_one_line(tmp_path: Path) -> None:
    done = _run(str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"no NAME.txt.gz in {tmp_path}\n"
    (_folder(tmp_path, 1, 1) / "paths.values.txt").unlink()
    done = _run(str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"no paths.values.txt in {tmp_path}\n"
    done = _run()  # as `make bench` calls it
    assert done.returncode == 0
    assert "nothing is measured" in done.stdout
