"""Addresses that users give lead nowhere but to the Internet, and hold up nobody."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from calor.fetching.addresses import Allowed
from calor.fetching.slots import Busy, FetchSlots, budget
from calor.fetching.web import Fetcher

LARGEST = 100_000


class Site:
    """A web server at an address of the loopback network, which answers as it is told."""

    def __init__(self, address: str, answer: Callable[[socket.socket], None], port: int = 0) -> None:
        self._answer = answer
        self._listening = socket.create_server((address, port))
        self.port: int = self._listening.getsockname()[1]
        self.asked = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.asked += 1
            threading.Thread(target=self._serve_one, args=(connection,), daemon=True).start()

    def _serve_one(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65536)
                self._answer(connection)
            except OSError:
                pass

    def close(self) -> None:
        self._listening.close()


def says(words: bytes) -> Callable[[socket.socket], None]:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(words)}\r\n\r\n".encode()
    return lambda connection: connection.sendall(head + words)


def moved_to(url: str) -> Callable[[socket.socket], None]:
    head = f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n".encode()
    return lambda connection: connection.sendall(head)


@pytest.fixture
def secret() -> Iterator[Site]:
    site = Site("127.0.0.1", says(b"a secret of the host"))
    yield site
    site.close()


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1"),
        *("169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1"),
        *("198.51.100.1", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
        *(
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "64:ff9b::a00:1",
        ),
        *("2002:7f00:1::", "2002:a00:1::1", "2001:0:1::1", "100::1", "64:ff9b:1::7f00:1", "4000::1"),
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not Allowed().permits("host", address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "172.32.0.1",
        "100.128.0.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ],
)
def test_an_address_of_the_internet_is_not(address: str) -> None:
    assert Allowed().permits("host", address)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
    ],
)
def test_the_hosts_own_services_are_never_asked(secret: Site, host: str) -> None:
    with pytest.raises(OSError):
        Fetcher().text(f"http://{host}:{secret.port}/", LARGEST)
    assert secret.asked == 0


def test_a_name_that_leads_to_the_host_is_refused_without_telling_its_address(
    secret: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    _resolve(monkeypatch, {"harmless.test": ["10.11.12.13"]})
    with pytest.raises(OSError, match="public") as refused:
        Fetcher().text(f"http://harmless.test:{secret.port}/", LARGEST)
    assert "10.11" not in str(refused.value)


def test_a_redirect_to_the_host_is_refused(secret: Site) -> None:
    for target in (
        f"http://127.0.0.1:{secret.port}/",
        f"//127.0.0.1:{secret.port}/",
        "file:///etc/passwd",
        "gopher://x",
    ):
        site = Site("127.0.0.2", moved_to(target))
        with pytest.raises(OSError, match=r"public|not an http"):
            Fetcher(Allowed.of(["127.0.0.2"])).text(f"http://127.0.0.2:{site.port}/", LARGEST)
        assert site.asked == 1
        site.close()
    assert secret.asked == 0


def test_redirects_that_never_end_do(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site("127.0.0.2", moved_to("/again"))
    with pytest.raises(OSError, match="too many redirects"):
        Fetcher(Allowed.of(["127.0.0.2"])).text(f"http://127.0.0.2:{site.port}/", LARGEST)
    site.close()


def test_a_name_is_resolved_once_for_the_check_and_the_connection(
    secret: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It might lead to the host the second time."""
    public = Site("127.0.0.2", says(b"public"), secret.port)
    asked = _resolve(monkeypatch, {"rebinding.test": ["127.0.0.2", "127.0.0.1"]}, one_by_one=True)
    fetcher = Fetcher(Allowed.of(["127.0.0.2"]))
    assert fetcher.text(f"http://rebinding.test:{secret.port}/", LARGEST) == "public"
    assert asked == ["rebinding.test"]
    with pytest.raises(OSError, match="public"):
        fetcher.text(f"http://rebinding.test:{secret.port}/", LARGEST)
    assert secret.asked == 0
    public.close()


def test_only_those_addresses_of_a_name_are_asked_that_may_be(
    secret: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    _resolve(monkeypatch, {"both.test": ["127.0.0.1", "127.0.0.2"]})
    public = Site("127.0.0.2", says(b"public"), secret.port)
    assert Fetcher(Allowed.of(["127.0.0.2"])).text(f"http://both.test:{secret.port}/", LARGEST) == "public"
    assert secret.asked == 0
    public.close()


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n"]
)
def test_an_answer_that_comes_byte_by_byte_ends_with_the_deadline(start: bytes) -> None:
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(start)
        while not over.wait(0.05):
            connection.sendall(b"x")

    site = Site("127.0.0.2", drip)
    began = time.monotonic()
    with pytest.raises(OSError):
        Fetcher(Allowed.of(["127.0.0.2"]), 1.0).text(f"http://127.0.0.2:{site.port}/", 10_000_000)
    assert time.monotonic() - began < 60
    over.set()
    site.close()


def test_all_that_a_request_fetches_shares_one_deadline() -> None:
    site = Site("127.0.0.2", lambda connection: time.sleep(120))
    fetcher = Fetcher(Allowed.of(["127.0.0.2"]), 120)
    with budget(0.5):
        for _ in range(20):
            with pytest.raises(OSError):
                fetcher.text(f"http://127.0.0.2:{site.port}/", LARGEST)
    site.close()


def test_an_answer_without_end_is_cut_off() -> None:
    def flood(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65536)

    site = Site("127.0.0.2", flood)
    with pytest.raises(OSError, match="larger"):
        Fetcher(Allowed.of(["127.0.0.2"])).text(f"http://127.0.0.2:{site.port}/", LARGEST)
    site.close()


def test_one_project_cannot_take_all_turns() -> None:
    slots = FetchSlots(3, 2)
    with slots.slot("one"), slots.slot("one"):
        with pytest.raises(Busy), slots.slot("one"):
            pass
        with slots.slot("two"), pytest.raises(Busy), slots.slot("three"):
            pass
    with slots.slot("one"):
        pass


def test_few_wait_for_a_turn() -> None:
    slots, waiting = FetchSlots(1, 1, max_waiting=1, timeout=60), threading.Event()
    got: list[str] = []

    def wait() -> None:
        waiting.set()
        with slots.slot("one"):
            got.append("a turn")

    with slots.slot("one"):
        thread = threading.Thread(target=wait)
        thread.start()
        waiting.wait(60)
        while not slots._waiting:
            time.sleep(0.01)
        with pytest.raises(Busy), slots.slot("two"):
            pass
        assert got == []
    thread.join(60)
    assert got == ["a turn"]


def _resolve(
    monkeypatch: pytest.MonkeyPatch, names: dict[str, list[str]], *, one_by_one: bool = False
) -> list[str]:
    """Answers for names: all of their addresses, or one more with each question. Returns what is asked for."""
    asked: list[str] = []
    known = socket.getaddrinfo

    def resolved(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if host not in names:
            return known(host, port, *args, **more)
        addresses = names[host][asked.count(host) :][:1] if one_by_one else names[host]
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    return asked
