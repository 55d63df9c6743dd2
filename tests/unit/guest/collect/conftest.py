from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.guest.collect.stand_in import StandIn, stand_in


@pytest.fixture
def service() -> Iterator[StandIn]:
    with stand_in() as made:
        yield made
