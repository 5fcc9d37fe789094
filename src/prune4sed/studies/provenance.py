"""Where figures come from: the version, the commit, the day and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

__all__ = ["load_average", "machine", "now", "provenance"]

_ROOT = Path(__file__).resolve().parents[3]
_PACKAGES = ("numpy", "torch", "highspy")


def provenance() -> dict[str, Any]:
    """What every cell says about its making."""
    made = {"date": now(), "commit": _commit(), "version": _version("prune4sed")}
    # Times and time limits mean little on a machine that others use.
    return {**made, "machine": machine(), "load": load_average()}


def load_average() -> float | None:
    """How busy the machine is: processes that want to run, over the last minute."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def now() -> str:
    """Date and time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def machine() -> dict[str, Any]:
    """The processor, its cores, the GPU if there is one, and versions of what computes."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    known = {name: _version(name) for name in _PACKAGES}
    return {
        "cpu": _cpu(),
        "cores": cores,
        "gpu": _gpu(),
        "python": platform.python_version(),
        **{name: value for name, value in known.items() if value is not None},
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _gpu() -> str | None:
    # A GPU that nobody has used matters to nobody, and torch takes its time to load.
    torch = sys.modules.get("torch")
    return str(torch.cuda.get_device_name()) if torch is not None and torch.cuda.is_available() else None


@cache
def _commit() -> str | None:
    """The commit of a checkout, with a plus sign if its code differs; None for an installed package."""
    if not (_ROOT / ".git").exists():
        return None
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--", "native", "src")
    except (OSError, subprocess.CalledProcessError):
        return None
    return head + ("+" if changed else "")


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(_ROOT), *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        if package != "prune4sed":
            return None
    from prune4sed import __version__

    return __version__
