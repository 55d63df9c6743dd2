"""The store: what is put in comes out, all or nothing, also in the next process."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from calor.localcloud.store import Collection, Duplicate, Store


@dataclass(frozen=True)
class Animal:
    id: str
    name: str
    legs: tuple[str, ...] = ()
    owner: str | None = None
    tame: bool = True


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "deep" / "store.db")
    yield store
    store.close()


def animals(store: Store) -> Collection[Animal]:
    return store.collection("animals", Animal, indexes=[("owner",)], unique=[("owner", "name")])


def test_documents_are_stored_unchanged(store: Store) -> None:
    dog = Animal("1", "Rex", ("left", "right"), "ann")
    animals(store).add(dog)
    assert animals(store).get("1") == dog
    assert animals(store).get("2") is None


@dataclass(frozen=True)
class OlderAnimal:
    id: str
    name: str
    fur: str = "short"


def test_documents_of_older_versions_are_read(store: Store) -> None:
    store.collection("animals", OlderAnimal).add(OlderAnimal("1", "Rex"))
    assert animals(store).get("1") == Animal("1", "Rex")


def test_documents_are_found_by_their_fields_in_the_order_of_adding(store: Store) -> None:
    kept = animals(store)
    dog, cat, ant = Animal("3", "Rex", (), "ann"), Animal("1", "Tom", (), "ann"), Animal("2", "Z", tame=False)
    for each in (dog, cat, ant):
        kept.add(each)
    kept.put(replace(dog, legs=("one",)))
    assert kept.find() == [replace(dog, legs=("one",)), cat, ant]
    assert kept.find(owner="ann", name="Tom") == [cat]
    assert kept.find(owner=None) == [ant]
    assert kept.find(tame=False) == [ant]
    assert kept.first(owner="bob") is None


def test_unique_indexes_include_nulls(store: Store) -> None:
    kept = animals(store)
    kept.add(Animal("1", "Rex"))
    with pytest.raises(Duplicate):
        kept.add(Animal("1", "Tom"))
    with pytest.raises(Duplicate):
        kept.add(Animal("2", "Rex"))
    kept.add(Animal("2", "Rex", (), "ann"))
    with pytest.raises(Duplicate):
        kept.put(Animal("2", "Rex"))


def test_failed_transactions_are_rolled_back(store: Store) -> None:
    kept = animals(store)

    def add_twice() -> None:
        with store.transaction():
            kept.add(Animal("1", "Rex"))
            with store.transaction():
                kept.add(Animal("1", "Rex"))

    with pytest.raises(Duplicate):
        add_twice()
    assert kept.find() == []


def test_documents_are_removed_one_by_one_or_by_their_fields(store: Store) -> None:
    kept = animals(store)
    for each in (
        Animal("1", "a"),
        Animal("2", "b"),
        Animal("3", "c", (), "ann"),
        Animal("4", "d", (), "ann"),
    ):
        kept.add(each)
    assert kept.remove("1")
    assert not kept.remove("1")
    kept.remove_where(owner="ann")
    assert [each.id for each in kept.find()] == ["2"]
    kept.remove_before("name", "c")
    assert kept.find() == []


def test_documents_survive_a_restart(store: Store, tmp_path: Path) -> None:
    animals(store).add(Animal("1", "Rex"))
    store.close()
    again = Store(tmp_path / "deep" / "store.db")
    assert animals(again).get("1") == Animal("1", "Rex")
    again.close()


def test_lookups_by_indexed_fields_do_not_read_everything(store: Store) -> None:
    animals(store)
    [plan] = store._db.execute(
        "EXPLAIN QUERY PLAN SELECT body FROM animals WHERE json_extract(body, '$.owner') IS ?", ("ann",)
    ).fetchall()
    assert "USING INDEX animals_by_owner" in plan[3]


def test_the_file_is_private(store: Store, tmp_path: Path) -> None:
    animals(store).add(Animal("1", "Rex"))
    for file in (tmp_path / "deep").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
