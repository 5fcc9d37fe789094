"""Download a file: with retries, progress and a check of what came, whole or not at all."""

from __future__ import annotations

import http.client
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prune4sed.atomic import replacing
from prune4sed.errors import FormatError, Prune4SEDError

__all__ = ["DownloadError", "Progress", "download"]

Progress = Callable[[int, int | None], object]

_BLOCK = 1 << 16
# Answers that another try may change: time-out, too early, too many requests, and trouble inside the server.
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class DownloadError(Prune4SEDError):
    """A file that could not be downloaded; the text names the address and the reason."""


class _Passing(Exception):
    """A failure that may be gone at the next try."""


def download(
    url: str,
    path: str | Path,
    *,
    check: Callable[[Path], object] | None = None,
    progress: Progress | None = None,
    tries: int = 4,
    wait: float = 0.5,
    timeout: float = 30.0,
) -> Path:
    """Download one file; what was at `path` before stays until the new file is whole.

    Parameters
    ----------
    url : str
        An http or https address.
    path : path
        Where the file goes; its folder is made if it is not there.
    check : callable, optional
        Given the path of the finished download before it is moved into place; raises FormatError if it is not
        what it should be.
    progress : callable, optional
        Called with the bytes that have come and their total, or None where the server does not tell. Starts
        over at 0 when a try does.
    tries : int
        How often to try, where a failure may pass.
    wait : float
        Seconds before the second try; twice as long before each next one.
    timeout : float
        Seconds after which a silent server counts as a failure.

    Returns
    -------
    Path
        `path`.

    Raises
    ------
    DownloadError
        If the server cannot be reached, refuses, or sends something else.
    FormatError
        If the file cannot be written.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot make the folder {target.parent}: {error.strerror}") from None
    with replacing(target) as temporary:
        for attempt in range(tries):
            try:
                _fetch(url, temporary, progress, timeout)
                _checked(url, temporary, check)
                break
            except _Passing as failure:
                if attempt + 1 == tries:
                    raise DownloadError(f"cannot download {url}: {failure}") from None
                time.sleep(wait * 2**attempt)
    return target


def _fetch(url: str, path: Path, progress: Progress | None, timeout: float) -> None:
    """One try. Only the network's failures are caught here: a full disk is not helped by another try."""
    with _response(url, timeout) as response, path.open("wb") as file:
        length = response.headers.get("Content-Length")
        total = int(length) if length and length.isdigit() else None
        done = 0
        if progress:
            progress(0, total)
        while block := _block(response):
            file.write(block)
            done += len(block)
            if progress:
                progress(done, total)
    if total is not None and done != total:
        raise _Passing(f"only {done:,} of {total:,} bytes came")
    if done == 0:
        raise _Passing("an empty file came")


def _response(url: str, timeout: float) -> Any:
    from prune4sed import __version__

    try:
        request = urllib.request.Request(url, headers={"User-Agent": f"prune4sed/{__version__}"})
        return urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        reason = f"the server answered {error.code} {error.reason}".rstrip()
        error.close()
        if error.code in _PASSING:
            raise _Passing(reason) from None
        raise DownloadError(f"cannot download {url}: {reason}") from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            why = error.reason.verify_message
            raise DownloadError(f"cannot download {url}: its certificate is not accepted ({why})") from None
        raise _Passing(f"the server cannot be reached ({_words(error.reason)})") from None
    except (OSError, http.client.HTTPException) as error:
        raise _Passing(f"the server cannot be reached ({_words(error)})") from None
    except ValueError as error:
        raise DownloadError(f"cannot download {url}: {error}") from None


def _block(response: Any) -> bytes:
    try:
        block: bytes = response.read(_BLOCK)
        return block
    except (OSError, http.client.HTTPException) as error:
        raise _Passing(f"the connection broke off ({_words(error)})") from None


def _words(error: object) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def _checked(url: str, path: Path, check: Callable[[Path], object] | None) -> None:
    if check is None:
        return
    try:
        check(path)
    except Prune4SEDError as error:
        # The temporary file has a name that means nothing to the user, and is gone when this is read.
        reason = str(error).replace(f"{path}: ", "").replace(str(path), "it")
        raise DownloadError(f"{url} is not the file it should be: {reason}") from None
