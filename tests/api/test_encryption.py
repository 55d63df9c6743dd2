"""What the API answers when the server has lost the key of its database."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from calor.service.commands import Commands
from calor.service.queries import Queries
from calor.store import database
from calor.store.cipher import Cipher
from calor.store.writer import Writer
from tests.support.api import Door, error, open_door


@pytest.fixture
def locked_out(door: Door) -> Iterator[Door]:
    """The same API with another key."""
    stage = door.stage
    url = stage.database.url.render_as_string(hide_password=False)
    engine = database.connect(url, Cipher(Cipher.new_key()))
    writer = Writer(engine)
    yield open_door(
        replace(
            stage,
            database=engine,
            writer=writer,
            queries=Queries(engine, stage.world),
            commands=Commands(engine, writer, stage.world, lambda: None, policy=stage.policy),
        )
    )
    writer.close()
    engine.dispose()


@pytest.mark.parametrize("path", ["", "/environment", "/template", "/export"])
def test_an_encrypted_stack_cannot_be_shown(door: Door, locked_out: Door, path: str) -> None:
    stack = door.create(parameters={"secret": "x1"})

    reported = error(open_door(locked_out.stage, enable_abandon=True)("GET", f"{stack}{path}"), 500)

    assert reported["type"] == "InvalidEncryptionKey"
    assert "another key" in reported["message"]


def test_nothing_is_made_with_a_second_key(door: Door, locked_out: Door) -> None:
    door.create()

    answer = locked_out(
        "POST", "/stacks", {"stack_name": "t", "template": {"heat_template_version": "2018-08-31"}}
    )

    assert error(answer, 500)["type"] == "InvalidEncryptionKey"
