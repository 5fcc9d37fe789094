"""Shared by all tests: the oracles on the path, and hypothesis made steady."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

# A shell has its background jobs ignore Ctrl-C, and so would the processes that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Time per example says more about the machine than about the code, and a fixed seed keeps CI steady.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")
