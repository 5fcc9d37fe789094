"""Downloads from a server that fails, cuts short and lies."""

from __future__ import annotations

import errno
import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from local_server import LocalServer, body, hang_up, redirect, serving, status
from prune4sed.datasets.download import DownloadError, download
from prune4sed.errors import FormatError

DATA = bytes(range(256)) * 1000


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with serving() as running:
        yield running


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "file"


def files(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir()) if target.parent.exists() else []


def test_bytes_and_progress(server: LocalServer, target: Path) -> None:
    server.answers["/a"] = [redirect("/b")]
    server.answers["/b"] = [body(DATA)]
    seen: list[tuple[int, int | None]] = []
    assert download(f"{server.url}/a", target, progress=lambda *step: seen.append(step)) == target
    assert target.read_bytes() == DATA
    assert files(target) == ["file"]
    assert seen[0] == (0, len(DATA))
    assert seen[-1] == (len(DATA), len(DATA))
    assert seen == sorted(seen)


def test_without_a_length(server: LocalServer, target: Path) -> None:
    server.answers["/a"] = [body(DATA, length=None)]
    seen: list[Any] = []
    download(f"{server.url}/a", target, progress=lambda *step: seen.append(step))
    assert target.read_bytes() == DATA
    assert seen[-1] == (len(DATA), None)


@pytest.mark.parametrize(
    "failure", [status(503), status(429), body(DATA[:999], length=len(DATA)), hang_up, body(b"")]
)
def test_what_may_pass_is_tried_again(server: LocalServer, target: Path, failure: Any) -> None:
    server.answers["/a"] = [failure, failure, body(DATA)]
    download(f"{server.url}/a", target, wait=0.001)
    assert target.read_bytes() == DATA
    assert len(server.asked) == 3


def test_waits_double(server: LocalServer, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["/a"] = [status(500)]
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    with pytest.raises(DownloadError, match=r"/a: the server answered 500 Internal Server Error$"):
        download(f"{server.url}/a", target)
    assert waits == [0.5, 1.0, 2.0]
    assert len(server.asked) == 4


def test_what_stays_is_not_tried_again(server: LocalServer, target: Path) -> None:
    with pytest.raises(
        DownloadError, match=r"cannot download http.*/gone: the server answered 404 Not Found$"
    ):
        download(f"{server.url}/gone", target, wait=9)
    assert len(server.asked) == 1


def test_cut_short_every_time(server: LocalServer, target: Path) -> None:
    server.answers["/a"] = [body(DATA[:1000], length=len(DATA))]
    with pytest.raises(DownloadError, match=r"only 1,000 of 256,000 bytes came"):
        download(f"{server.url}/a", target, tries=2, wait=0)
    assert files(target) == []


def test_offline(target: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(DownloadError, match=r"the server cannot be reached \(Connection refused\)$"):
        download(f"http://127.0.0.1:{port}/a", target, tries=2, wait=0)


def test_a_silent_server(server: LocalServer, target: Path) -> None:
    def slow(request: BaseHTTPRequestHandler) -> None:
        time.sleep(0.5)

    server.answers["/a"] = [slow]
    with pytest.raises(DownloadError, match="timed out"):
        download(f"{server.url}/a", target, tries=1, timeout=0.05)


@pytest.mark.parametrize("url", ["nonsense", "ftps://x/y"])
def test_a_bad_address(target: Path, url: str) -> None:
    with pytest.raises(DownloadError, match=f"cannot download {url}") as caught:
        download(url, target, tries=1)
    assert "\n" not in str(caught.value)


def test_the_check_sees_the_file_and_its_word_counts(server: LocalServer, target: Path) -> None:
    target.parent.mkdir()
    target.write_text("old")
    server.answers["/a"] = [body(DATA)]

    def check(path: Path) -> None:
        assert path.read_bytes() == DATA
        raise FormatError(f"{path}: found 3 nodes")

    with pytest.raises(DownloadError) as caught:
        download(f"{server.url}/a", target, check=check)
    assert str(caught.value) == f"{server.url}/a is not the file it should be: found 3 nodes"
    assert len(server.asked) == 1
    assert target.read_text() == "old"
    assert files(target) == ["file"]


def test_a_full_disk_is_one_line_and_the_old_file_stays(
    server: LocalServer, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.parent.mkdir()
    target.write_text("old")
    server.answers["/a"] = [body(DATA)]
    real = Path.open

    class Full:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, _: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        file = real(path, mode, *rest, **more)
        return Full(file) if mode == "wb" else file

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", opened)
        with pytest.raises(FormatError, match=r"cannot write .*file: No space left on device$"):
            download(f"{server.url}/a", target)
    assert len(server.asked) == 1
    assert target.read_text() == "old"
    assert files(target) == ["file"]


def test_a_folder_that_cannot_be_made(server: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(FormatError, match=r"cannot make the folder .*taken"):
        download(f"{server.url}/a", tmp_path / "taken" / "file")


def test_ctrl_c_leaves_nothing_behind(server: LocalServer, target: Path) -> None:
    server.answers["/a"] = [body(DATA)]

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(f"{server.url}/a", target, progress=stop)
    assert files(target) == []
