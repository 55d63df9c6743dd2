"""Downloads."""

from __future__ import annotations

import io
import socket
import threading

import pytest

from calor_guest.cfn.downloads import download
from calor_guest.cfn.problems import Problem
from tests.unit.guest.cfn.conftest import Api


def test_a_download_is_written_into_the_file(api: Api) -> None:
    api.body = b"content"
    file = io.BytesIO()
    download(f"{api.url}/x", file)
    download(f"127.0.0.1:{api.port}/x", file)
    assert file.getvalue() == b"contentcontent"


@pytest.mark.parametrize("url", ["scp://h/x", "data:text/plain,x", "gopher://h/x", "dict://h/x"])
def test_other_schemes_are_refused(url: str) -> None:
    with pytest.raises(Problem, match="cannot be downloaded"):
        download(url, io.BytesIO())


def test_an_error_is_not_content(api: Api) -> None:
    api.status, api.body = [404], b"not found"
    file = io.BytesIO()
    with pytest.raises(Problem, match="404"):
        download(f"{api.url}/x", file)
    assert file.getvalue() == b""


def test_messages_have_neither_passwords_nor_queries(api: Api) -> None:
    api.status = [403]
    with pytest.raises(Problem) as failure:
        download(f"http://user:secret@127.0.0.1:{api.port}/x?signature=secret", io.BytesIO())
    assert "secret" not in str(failure.value)


def test_size_is_limited(api: Api) -> None:
    api.body = bytes(2 << 20)
    with pytest.raises(Problem, match="larger than 1 MiB"):
        download(f"{api.url}/x", io.BytesIO(), largest=1 << 20)


def test_the_whole_time_is_limited() -> None:
    """A server that sends a byte now and then keeps no socket waiting for long."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        try:
            with pytest.raises(Problem, match="no complete response within 1 seconds"):
                download(f"http://127.0.0.1:{server.getsockname()[1]}/", io.BytesIO(), seconds=1)
        finally:
            ended.set()
