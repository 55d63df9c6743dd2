"""OS::Keystone::* at work."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import Conflict, NotFound
from calor.testing import FakeCloud, FakeContext, properties_of, run
from calor.types.keystone.base import MARK, KeystoneType
from calor.types.keystone.domain import Domain
from calor.types.keystone.endpoint import Endpoint
from calor.types.keystone.group import Group
from calor.types.keystone.project import Project
from calor.types.keystone.region import Region
from calor.types.keystone.role import Role
from calor.types.keystone.service import Service
from calor.types.keystone.user import User
from calor.types.keystone.user_role_assignment import UserRoleAssignment

IDS = {
    ("keystone.domain", "default"): "default",
    ("keystone.project", "demo"): "p-demo",
    ("keystone.project", "other"): "p-other",
    ("keystone.group", "ops"): "g-ops",
    ("keystone.group", "dev"): "g-dev",
    ("keystone.role", "member"): "r-member",
    ("keystone.role", "reader"): "r-reader",
    ("keystone.user", "ann"): "u-ann",
    ("keystone.user", "bob"): "u-bob",
    ("keystone.region", "r1"): "r1",
    ("keystone.service", "nova"): "s-nova",
}


def made(kind: type[KeystoneType], **given: Any) -> FakeContext:
    """A resource that has been created."""
    properties = properties_of(kind, **given)
    context = FakeContext(kind, properties, services=FakeCloud(ids=dict(IDS)))
    run(kind.create(context, properties))
    return context


def updated(kind: type[KeystoneType], context: FakeContext, **given: Any) -> None:
    after = {**context.properties, **given}
    changed = frozenset(name for name in given if given[name] != context.properties[name])
    run(kind.update(context, after, changed))


def test_a_project_is_made_in_its_domain() -> None:
    context = made(Project, name="web", parent="demo", tags=["a"])

    [request] = [one for one in context.services.requests if one.method == "POST"]
    assert (request.service, request.line) == ("identity", "POST /projects")
    assert request.body == {
        "project": {
            "name": "web",
            "domain_id": "default",
            "description": "",
            "enabled": True,
            "parent_id": "p-demo",
            "tags": ["a"],
            MARK: context.id,
        }
    }
    assert context.physical_id == "projects-1"
    assert Project.attribute(context, "parent_id") == "p-demo"


def test_what_has_no_name_gets_one() -> None:
    context = made(Project)

    assert Project.attribute(context, "name") == context.physical_name()


def test_a_project_changes_in_place() -> None:
    context = made(Project, name="web", description="old")

    updated(Project, context, name="shop", description="new", enabled=False)

    assert context.services.body("PATCH /projects/projects-1") == {
        "project": {"name": "shop", "description": "new", "enabled": False}
    }
    assert Project.attribute(context, "name") == "shop"


def test_what_the_service_cannot_take_back_is_not_sent() -> None:
    context = made(Endpoint, service="nova", interface="public", url="http://a", region="r1")

    updated(Endpoint, context, region=None, url="http://b")

    assert context.services.body("PATCH /endpoints/endpoints-1") == {"endpoint": {"url": "http://b"}}


def test_a_project_whose_answer_was_lost_is_recognised_by_its_mark() -> None:
    cloud = FakeCloud(ids=dict(IDS), loses_responses=True)
    cloud.place("/projects/theirs", name="web", domain_id="default")
    properties = properties_of(Project, name="web")
    context = FakeContext(Project, properties, services=cloud)

    run(Project.create(context, properties))

    assert context.physical_id == "projects-2"


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Domain, {"name": "web"}),
        (Role, {"name": "web"}),
        (Endpoint, {"name": "web", "service": "nova", "interface": "public", "url": "http://a"}),
    ],
)
def test_what_cannot_have_a_mark_is_recognised_nevertheless(
    kind: type[KeystoneType], given: dict[str, Any]
) -> None:
    cloud = FakeCloud(ids=dict(IDS), loses_responses=True)
    properties = properties_of(kind, **given)
    context = FakeContext(kind, properties, services=cloud)

    run(kind.create(context, properties))

    [request] = [one for one in cloud.requests if one.method == "POST"]
    assert MARK not in request.body[kind.wrapper]
    assert context.physical_id == f"{kind.collection[0]}-1"


@pytest.mark.parametrize("kind", [Domain, Role])
def test_what_has_the_name_already_is_not_taken_for_ones_own(kind: type[KeystoneType]) -> None:
    cloud = FakeCloud(ids=dict(IDS), loses_responses=True)
    theirs = cloud.place(f"/{kind.collection[0]}/theirs", name="web")
    cloud.responses[f"POST /{kind.collection[0]}"] = Conflict("There is one already.", status=409)
    properties = properties_of(kind, name=theirs["name"])
    context = FakeContext(kind, properties, services=cloud)

    with pytest.raises(Conflict):
        run(kind.create(context, properties))
    assert run(kind.find(context)) is False
    assert context.physical_id is None


def test_what_was_there_before_is_not_taken_for_ones_own() -> None:
    cloud = FakeCloud(ids=dict(IDS))
    cloud.place("/projects/theirs", name="web", domain_id="default")
    context = FakeContext(Project, properties_of(Project, name="web"), services=cloud)

    assert run(Project.find(context)) is False
    assert context.physical_id is None


def test_deleting_what_is_gone_is_fine() -> None:
    context = made(Role, name="boss")
    context.services.objects.clear()

    run(Role.delete(context))

    assert "DELETE /roles/roles-1" in context.services.lines()


def test_a_domain_is_disabled_before_it_is_deleted() -> None:
    context = made(Domain, name="d")

    run(Domain.delete(context))

    assert context.services.lines(without=("GET", "POST")) == [
        "PATCH /domains/domains-1",
        "DELETE /domains/domains-1",
    ]
    assert context.services.body("PATCH /domains/domains-1") == {"domain": {"enabled": False}}


def test_a_region_without_an_id_gets_one_that_can_be_found_again() -> None:
    context = made(Region)
    again = FakeContext(Region, context.properties, services=context.services)

    assert context.physical_id == context.id.replace("-", "")
    assert run(Region.find(again)) is True
    assert again.physical_id == context.physical_id


def test_the_region_of_the_template_is_called() -> None:
    context = made(Region, id="north", parent_region="r1")

    assert context.physical_id == "north"
    assert context.services.body("POST /regions")["region"]["parent_region_id"] == "r1"


def test_a_service_is_made() -> None:
    context = made(Service, name="s", type="test")

    assert context.services.body("POST /services") == {
        "service": {"name": "s", "type": "test", "enabled": True, MARK: context.id}
    }


def test_a_user_joins_groups_and_gets_roles() -> None:
    context = made(
        User,
        name="eve",
        password="secret",
        default_project="demo",
        groups=["ops"],
        roles=[{"role": "member", "project": "demo"}, {"role": "reader", "domain": "default"}],
    )

    assert context.services.body("POST /users")["user"]["default_project_id"] == "p-demo"
    assert context.services.lines(without="POST") == [
        "PUT /groups/g-ops/users/users-1",
        "PUT /projects/p-demo/users/users-1/roles/r-member",
        "PUT /domains/default/users/users-1/roles/r-reader",
    ]


def test_groups_and_roles_of_a_user_change_in_place() -> None:
    context = made(
        User,
        name="eve",
        groups=["ops"],
        roles=[{"role": "member", "project": "demo"}, {"role": "reader", "project": "demo"}],
    )
    context.services.requests.clear()

    updated(
        User,
        context,
        groups=["dev"],
        roles=[{"role": "reader", "project": "demo"}, {"role": "member", "project": "other"}],
    )

    assert context.services.lines(without="GET") == [
        "DELETE /groups/g-ops/users/users-1",
        "PUT /groups/g-dev/users/users-1",
        "DELETE /projects/p-demo/users/users-1/roles/r-member",
        "PUT /projects/p-demo/users/users-1/roles/r-reader",
        "PUT /projects/p-other/users/users-1/roles/r-member",
    ]


def test_a_group_that_is_gone_need_not_be_left() -> None:
    context = made(User, name="eve", groups=["ops"])
    del context.services.ids["keystone.group", "ops"]

    updated(User, context, groups=["dev"])

    assert "PUT /groups/g-dev/users/users-1" in context.services.lines()


def test_a_password_changes_in_place_and_is_not_shown() -> None:
    context = made(User, name="eve", password="old")

    updated(User, context, password="new")

    assert context.services.body("PATCH /users/users-1") == {"user": {"password": "new"}}


def test_a_group_has_roles() -> None:
    context = made(Group, name="g", roles=[{"role": "member", "project": "demo"}])

    assert context.services.lines(without="POST") == ["PUT /projects/p-demo/groups/groups-1/roles/r-member"]


def assigned(**given: Any) -> FakeContext:
    properties = properties_of(UserRoleAssignment, **given)
    context = FakeContext(UserRoleAssignment, properties, services=FakeCloud(ids=dict(IDS)))
    run(UserRoleAssignment.create(context, properties))
    return context


def test_roles_are_given_and_taken_back() -> None:
    context = assigned(user="ann", roles=[{"role": "member", "project": "demo"}])

    run(UserRoleAssignment.delete(context))

    assert context.services.lines() == [
        "PUT /projects/p-demo/users/u-ann/roles/r-member",
        "DELETE /projects/p-demo/users/u-ann/roles/r-member",
    ]


def test_roles_move_to_another_user() -> None:
    context = assigned(user="ann", roles=[{"role": "member", "project": "demo"}])

    after = properties_of(UserRoleAssignment, user="bob", roles=[{"role": "reader", "project": "demo"}])
    run(UserRoleAssignment.update(context, after, frozenset({"user", "roles"})))

    assert context.services.lines()[1:] == [
        "DELETE /projects/p-demo/users/u-ann/roles/r-member",
        "PUT /projects/p-demo/users/u-bob/roles/r-reader",
    ]


def test_roles_of_a_user_who_is_gone_are_gone() -> None:
    context = assigned(user="ann", roles=[{"role": "member", "project": "demo"}])
    context.services.ids.clear()

    run(UserRoleAssignment.delete(context))

    assert context.services.lines() == ["PUT /projects/p-demo/users/u-ann/roles/r-member"]


def test_a_role_that_there_is_not_fails_the_assignment() -> None:
    with pytest.raises(NotFound):
        assigned(user="ann", roles=[{"role": "nothing", "project": "demo"}])
