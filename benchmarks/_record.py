"""A figure of record: what was measured, with the command, the date and the machine it was measured on."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import prune4sed
from prune4sed.atomic import replacing

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "results"


def record(script: str, packages: tuple[str, ...] = (), folder: str = "benchmarks") -> dict[str, Any]:
    """The head of a results file that the script in this folder writes."""
    return {
        "command": " ".join(["python", f"{folder}/{script}", *map(_anywhere, sys.argv[1:])]),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_at_start": load(),
        "versions": {
            "prune4sed": prune4sed.__version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in ("numpy", *packages)},
        },
    }


def write(path: Path, result: dict[str, Any]) -> None:
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def load() -> float | None:
    """How busy the machine is: processes that want to run, over the last minute."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _anywhere(argument: str) -> str:
    """A file of this machine by its name alone: where it lies means nothing elsewhere."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def _commit() -> str | None:
    """The commit at hand; a plus sign follows if code that figures come from differs from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--", "native", "src", "benchmarks", "tools")
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True
    ).stdout.strip()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
