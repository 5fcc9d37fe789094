"""Replace a folder of known files whole or not at all, and never one that holds anything else."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from prune4sed.atomic import reason
from prune4sed.errors import FormatError

__all__ = ["check_replaceable", "replacing_folder"]


def check_replaceable(path: str | os.PathLike[str], files: Collection[str]) -> None:
    """Raise FormatError unless the folder can be made, or replaced without loss.

    Worth a call before long work: nobody wants to hear of a mistyped folder an hour later. Folders above it
    are made.

    Parameters
    ----------
    path : path
        The folder.
    files : collection of str
        Names of the files that may be replaced; a folder with any other stays as it is.
    """
    target = Path(path)
    try:
        file = next((path for path in (target, *target.parents) if path.exists()), target)
        if file.exists() and not file.is_dir():
            raise FormatError(f"cannot write {target}: {file} is not a folder")
        if target.is_dir():
            _refuse_others(target, files)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rmdir(_beside(target))
    except OSError as error:
        raise FormatError(f"cannot write {target}: {error.strerror or error}") from None


@contextmanager
def replacing_folder(path: str | os.PathLike[str], files: Collection[str]) -> Iterator[Path]:
    """A temporary folder beside `path` that takes its place when the block ends well, and vanishes when it
    does not.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as above:
    ...     with replacing_folder(Path(above) / "data", {"a.txt"}) as temporary:
    ...         _ = (temporary / "a.txt").write_text("hello")
    ...     (Path(above) / "data" / "a.txt").read_text()
    'hello'
    """
    target = Path(path)
    check_replaceable(target, files)
    try:
        temporary = Path(_beside(target))
    except OSError as error:
        raise FormatError(f"cannot write {target}: {error.strerror or error}") from None
    try:
        yield temporary
        # mkdtemp makes private folders; give the result the permissions any new folder would have.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o777 & ~mask)
        _swap(temporary, target)
    except OSError as error:
        raise FormatError(f"cannot write {target}: {reason(error)}") from None
    except FormatError as error:
        # The temporary folder has a name that means nothing to the user, and is gone when this is read.
        raise FormatError(str(error).replace(str(temporary), str(target))) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _beside(target: Path) -> str:
    return tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)


def _refuse_others(target: Path, files: Collection[str]) -> None:
    others = sorted(entry.name for entry in target.iterdir() if entry.name not in files)
    if others:
        raise FormatError(
            f"cannot write {target}: it holds other things than a dataset ({others[0]}); "
            "name a new folder, or one that a dataset was built in"
        )


def _swap(fresh: Path, target: Path) -> None:
    """Put the new folder in the place of the old one, which comes back if that fails."""
    if not target.exists():
        os.rename(fresh, target)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    # A folder can be renamed onto an empty one, so the old data is never without a name.
    try:
        os.rename(target, old)
        os.rename(fresh, target)
    except BaseException:  # Ctrl-C too
        if not target.exists():
            os.rename(old, target)
        raise
    finally:
        if target.exists():  # else the old data is all there is
            shutil.rmtree(old, ignore_errors=True)
