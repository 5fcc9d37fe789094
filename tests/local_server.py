"""A web server on this machine that fails as told, for tests of downloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Answer = Callable[[BaseHTTPRequestHandler], None]


class LocalServer:
    """Answers the requests for a path by its list of answers, one after another, the last again and again."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[str] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                answers = server.answers.get(self.path, [status(404)])
                (answers.pop(0) if len(answers) > 1 else answers[0])(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def start(self) -> None:
        Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving() -> Iterator[LocalServer]:
    """A server for as long as the block lasts."""
    server = LocalServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def body(data: bytes, length: int | None = -1) -> Answer:
    """Send these bytes; claim another length, or None for no claim at all."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        if length is not None:
            request.send_header("Content-Length", str(len(data) if length < 0 else length))
        request.end_headers()
        request.wfile.write(data)

    return answer


def status(code: int) -> Answer:
    """Answer with an error."""
    return lambda request: request.send_error(code)


def redirect(path: str) -> Answer:
    """Send on to another path."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", path)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return answer


def hang_up(request: BaseHTTPRequestHandler) -> None:
    """Close the connection without a word."""
    request.close_connection = True
    request.connection.close()
