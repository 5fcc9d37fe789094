"""The command line: ``prune4sed VERB ...``, one file per verb."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

from prune4sed.errors import InputWarning, Prune4SEDError

#: Exit codes: something in the request cannot be done; the user pressed Ctrl-C.
REFUSED, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; whatever goes wrong becomes one line on standard error."""
    import typer

    from prune4sed.cli.app import app

    # The base class of all usage errors moved between typer's versions; its subclass here did not.
    usage_error: Any = typer.BadParameter.__base__
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            code = app(args=arguments, prog_name="prune4sed", standalone_mode=False)
        sys.stdout.flush()
    except usage_error as error:
        return _refuse(f"{error.format_message().rstrip('.')}; see prune4sed --help")
    except BrokenPipeError:
        # The reader of our output has seen enough, as with `| head`; the flush at exit must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (Prune4SEDError, InputWarning, MemoryError) as error:
        return _refuse(str(error) or "out of memory")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("prune4sed: stopped", file=sys.stderr)
    return int(code or 0)


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """What there is to say of the input, in one line and without the place in our code; the rest as ever."""
    if issubclass(category, InputWarning):
        print(f"prune4sed: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr)


def _refuse(reason: str) -> int:
    """Say why in one line."""
    print(f"prune4sed: error: {' '.join(reason.split())}", file=sys.stderr)
    return REFUSED
