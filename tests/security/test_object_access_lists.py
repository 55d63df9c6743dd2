"""Nobody is let into a container for having a name that looks like what its list says."""

from __future__ import annotations

import pytest

from tests.support.cloud import Cloud
from tests.support.storage import Speaker, add_other, object_speaker


@pytest.fixture
def owner(cloud: Cloud) -> Speaker:
    speaker = object_speaker(cloud)
    assert speaker("PUT", "/c").status_code == 201
    assert speaker("PUT", "/c/o", content=b"data").status_code == 201
    return speaker


def read(owner: Speaker, entry: str, user: str, project: str) -> int:
    """What somebody is answered whom the list of the container may let in."""
    assert owner("POST", "/c", headers={"X-Container-Read": entry}).status_code == 204
    return int(Speaker(owner.cloud, owner.root, user, project)("GET", "/c/o").status_code)


@pytest.mark.parametrize("gone", [False, True], ids=["there", "gone"])
def test_a_project_named_like_the_id_of_another(cloud: Cloud, owner: Speaker, gone: bool) -> None:
    add_other(cloud)
    id = cloud.id_of("projects", "other")
    cloud.make("/projects", "project", name=id)
    cloud.user("spy", "reader", project=id)
    if gone:
        assert cloud.request("DELETE", f"/projects/{id}").status_code == 204

    assert read(owner, f"{id}:*", "spy", id) == 403
    if not gone:
        assert read(owner, f"{id}:*", "other", "other") == 200


def test_a_user_named_like_the_id_of_another(cloud: Cloud, owner: Speaker) -> None:
    add_other(cloud)
    id = cloud.id_of("users", "other")
    cloud.user(id, "reader", project="other")

    assert read(owner, f"*:{id}", id, "other") == 403
    assert read(owner, f"*:{id}", "other", "other") == 200


def test_a_project_named_like_a_rule_for_referrers(cloud: Cloud, owner: Speaker) -> None:
    cloud.make("/projects", "project", name=".r")
    cloud.user(".example.org", "reader", project=".r")

    assert read(owner, ".r:.example.org", ".example.org", ".r") == 403


def test_names_let_in(cloud: Cloud, owner: Speaker) -> None:
    add_other(cloud)

    assert read(owner, "other:other", "other", "other") == 200
    assert read(owner, "other:another", "other", "other") == 403
