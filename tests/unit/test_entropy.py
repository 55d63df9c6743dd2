from __future__ import annotations

import os
from uuid import RFC_4122, UUID

from calor.entropy import PIECE, Entropy, new_uuid


def test_ids_are_random_uuids() -> None:
    ids = {new_uuid() for _ in range(5000)}
    assert len(ids) == 5000
    assert {str(UUID(id)) for id in ids} == ids
    assert {UUID(id).version for id in ids} == {4}
    assert {UUID(id).variant for id in ids} == {RFC_4122}


def test_bits_are_as_many_as_asked_for_and_all_of_them_vary() -> None:
    drawn = [Entropy().getrandbits(13) for _ in range(2000)]
    assert max(drawn) < 2**13
    either = every = drawn[0]
    for one in drawn:
        either, every = either | one, every & one
    assert (either, every) == (2**13 - 1, 0)


def test_fractions_lie_between_nothing_and_one() -> None:
    drawn = [Entropy().random() for _ in range(2000)]
    assert 0 <= min(drawn) < 0.1 < 0.9 < max(drawn) < 1


def test_more_than_a_piece_can_be_had() -> None:
    assert len(Entropy().randbytes(3 * PIECE)) == 3 * PIECE


def test_two_processes_draw_differently() -> None:
    new_uuid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, new_uuid().encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 36).decode()
    os.close(reading)
    os.close(writing)
    assert UUID(theirs)
    assert theirs != new_uuid()
