"""Each example makes what it says, can be changed, and leaves nothing behind."""

from __future__ import annotations

import pytest

from tests.examples.command_line import EXAMPLES, Tried, page, send
from tests.support.server import until


def reaching(address: str) -> str:
    """A command for a server; a machine from which there is no ping can be refused a connection, at least."""
    ping = f"ping -c 1 -W 5 {address} > /dev/null 2>&1"
    refused = f"wget -T 5 -O - http://{address}:1/ 2>&1 | grep -q refused"
    return f"if command -v ping > /dev/null; then {ping}; else {refused}; fi && echo it answers; true"


def test_the_web_tier_answers_from_the_host_and_grows(calor: Tried) -> None:
    before = calor.objects()
    calor.create("web", "web/web.yaml")
    urls = calor.output("web", "urls")
    assert [page(url) for url in urls] == ["Hello from web-0\n", "Hello from web-1\n"]

    calor.update("web", "web/web.yaml", "--parameter", "servers=3")
    grown = calor.output("web", "urls")
    assert grown[:2] == urls
    assert page(grown[2]) == "Hello from web-2\n"

    calor.delete("web")
    assert calor.objects() == before


@pytest.mark.extended
def test_the_site_of_the_guest_book_gets_its_database_from_the_other_server(calor: Tried) -> None:
    before = calor.objects()
    calor.create("book", "software/guestbook.yaml")
    url = calor.output("book", "url")
    assert calor.output("book", "entries") == "0"
    assert calor.output("book", "database_url") in calor.output("book", "database_log")

    send(url, name="Ada", text="<it works>")
    assert "<b>Ada</b>: &lt;it works&gt;" in page(url)

    calor.update("book", "software/guestbook.yaml", "--parameter", "title=Our guest book")
    assert calor.output("book", "entries") == "1"
    assert "<h1>Our guest book</h1>" in page(url)

    calor.delete("book")
    assert calor.objects() == before


@pytest.mark.extended
def test_the_servers_of_a_private_network_reach_one_another(calor: Tried) -> None:
    before = calor.objects()
    calor.create("private", "network/servers.yaml")
    first, *others = calor.output("private", "addresses")
    here = next(one for one in calor.servers() if first in str(one["addresses"]))
    assert len(others) == 2
    for other in others:
        until(lambda other=other: calor.inside(here["id"], reaching(other)) == "it answers\n")

    calor.update("private", "network/servers.yaml", "--parameter", "count=1")
    assert len(calor.servers()) == before["servers"] + 1

    calor.delete("private")
    assert calor.objects() == before


@pytest.mark.extended
def test_a_nested_server_has_the_address_that_the_environment_s_type_gives(calor: Tried) -> None:
    before = calor.objects()
    environment = ("-e", str(EXAMPLES / "nested" / "env.yaml"))
    calor.create("nested", "nested/stack.yaml", *environment)
    [address] = calor.output("nested", "addresses")
    [server] = [one for one in calor.servers() if address in str(one["addresses"])]
    assert address in calor.inside(server["id"], "cat /proc/net/fib_trie")

    calor.update("nested", "nested/stack.yaml", *environment, "--parameter", "count=2")
    assert len(calor.output("nested", "addresses")) == 2

    calor.delete("nested")
    assert calor.objects() == before


@pytest.mark.extended
def test_what_is_on_a_volume_outlives_its_server(calor: Tried) -> None:
    before = calor.objects()
    calor.create("notes", "volume/volume.yaml", "--parameter", "note=first")
    server = calor.output("notes", "server")
    until(lambda: calor.inside(server, "cat /mnt/vdb/notes || true") == "first\n")

    calor.update("notes", "volume/volume.yaml", "--parameter", "note=second")
    other = calor.output("notes", "server")
    assert other != server
    until(lambda: calor.inside(other, "cat /mnt/vdb/notes || true") == "first\nsecond\n")

    calor.delete("notes")
    assert calor.objects() == before
