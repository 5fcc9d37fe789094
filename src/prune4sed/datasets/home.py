"""The folder that raw data and built datasets live in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["HOME", "home"]

#: The environment variable that names the folder.
HOME = "PRUNE4SED_HOME"


def home() -> Path:
    """``PRUNE4SED_HOME``, or else prune4sed's folder in the user's cache; it need not exist yet.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, {"PRUNE4SED_HOME": "somewhere"}):
    ...     print(home())
    somewhere
    """
    chosen = os.environ.get(HOME)
    return Path(chosen).expanduser() if chosen else _user_cache() / "prune4sed"


def _user_cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    return Path(chosen) if os.path.isabs(chosen) else Path.home() / ".cache"
