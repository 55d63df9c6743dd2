"""Stacks of identity objects, against the identity service of the embedded cloud."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.orchestrator import Orchestrator


def accounts(**changed: Any) -> dict[str, Any]:
    project = {"name": "shop", "description": "old", **changed.get("project", {})}
    user = {
        "name": "eve",
        "password": "open sesame",
        "groups": [{"get_resource": "group"}],
        "roles": [{"role": "reader", "project": {"get_resource": "project"}}],
        **changed.get("user", {}),
    }
    granted = {"role": {"get_resource": "role"}, "project": {"get_resource": "project"}}
    return {
        "project": {"type": "OS::Keystone::Project", "properties": project},
        "group": {"type": "OS::Keystone::Group", "properties": {"name": "staff"}},
        "role": {"type": "OS::Keystone::Role", "properties": {"name": "keeper"}},
        "user": {"type": "OS::Keystone::User", "properties": user},
        "grant": {
            "type": "OS::Keystone::GroupRoleAssignment",
            "properties": {"group": {"get_resource": "group"}, "roles": [granted]},
        },
    }


def grants(admin: Orchestrator, holders: str, holder: str, project: str) -> set[str]:
    answer = admin.ask("identity", "GET", f"/projects/{project}/{holders}/{holder}/roles")
    return {role["name"] for role in answer.json()["roles"]}


def test_accounts_come_change_and_go(admin: Orchestrator) -> None:
    outputs = {"name": {"value": {"get_attr": ["project", "name"]}}}
    path = admin.create("accounts", accounts(), outputs=outputs)
    project, user, group = (admin.id_of(path, name) for name in ("project", "user", "group"))

    assert admin.outputs(path) == {"name": "shop"}
    assert grants(admin, "users", user, project) == {"reader"}
    assert grants(admin, "groups", group, project) == {"keeper"}
    assert admin.ask("identity", "HEAD", f"/groups/{group}/users/{user}").status_code == 204

    admin.update(
        path,
        accounts(
            project={"name": "mart", "description": "new", "tags": ["a"]},
            user={"groups": [], "roles": [{"role": "member", "project": {"get_resource": "project"}}]},
        ),
        outputs=outputs,
    )

    shown = admin.shown("identity", f"/projects/{project}") or {}
    assert (shown["name"], shown["description"], shown["tags"]) == ("mart", "new", ["a"])
    assert admin.outputs(path) == {"name": "mart"}
    assert grants(admin, "users", user, project) == {"member"}
    assert admin.ask("identity", "HEAD", f"/groups/{group}/users/{user}").status_code == 404

    admin.delete(path)

    gone = [("projects", project), ("users", user), ("groups", group)]
    assert [admin.shown("identity", f"/{kind}/{id}") for kind, id in gone] == [None, None, None]


@pytest.mark.extended
def test_a_catalog_comes_and_goes(admin: Orchestrator) -> None:
    path = admin.create(
        "catalog",
        {
            "region": {"type": "OS::Keystone::Region", "properties": {"description": "north"}},
            "service": {"type": "OS::Keystone::Service", "properties": {"name": "tea", "type": "kettle"}},
            "endpoint": {
                "type": "OS::Keystone::Endpoint",
                "properties": {
                    "service": {"get_resource": "service"},
                    "region": {"get_resource": "region"},
                    "interface": "public",
                    "url": "http://tea",
                },
            },
        },
    )
    region, service, endpoint = (admin.id_of(path, name) for name in ("region", "service", "endpoint"))

    shown = admin.shown("identity", f"/endpoints/{endpoint}") or {}
    assert (shown["region_id"], shown["service_id"], shown["url"]) == (region, service, "http://tea")

    admin.act(path, "check")
    admin.delete(path)

    assert admin.shown("identity", f"/regions/{region}") is None
    assert admin.shown("identity", f"/services/{service}") is None


def test_a_domain_goes_though_it_was_in_use(admin: Orchestrator) -> None:
    path = admin.create(
        "domain",
        {
            "domain": {"type": "OS::Keystone::Domain", "properties": {"name": "island"}},
            "user": {"type": "OS::Keystone::User", "properties": {"domain": {"get_resource": "domain"}}},
        },
    )
    domain = admin.id_of(path, "domain")

    admin.delete(path)

    assert admin.shown("identity", f"/domains/{domain}") is None


def test_a_user_is_named_with_its_domain(admin: Orchestrator) -> None:
    island = {"get_resource": "island"}
    resources = {
        "island": {"type": "OS::Keystone::Domain", "properties": {"name": "far"}},
        "user": {"type": "OS::Keystone::User", "properties": {"name": "admin", "domain": island}},
    }
    path = admin.create("far", resources)
    roles = [{"role": "reader", "domain": "far"}]
    grant = {"type": "OS::Keystone::UserRoleAssignment", "properties": {"user": "admin{far}", "roles": roles}}

    admin.update(path, {**resources, "grant": {**grant, "depends_on": "user"}})

    user, domain = admin.id_of(path, "user"), admin.id_of(path, "island")
    granted = admin.ask("identity", "GET", f"/domains/{domain}/users/{user}/roles").json()["roles"]
    assert [role["name"] for role in granted] == ["reader"]
    admin.delete(path)


def test_a_name_that_is_in_use_fails_the_stack_and_stays(admin: Orchestrator) -> None:
    resources = {"project": {"type": "OS::Keystone::Project", "properties": {"name": "demo"}}}
    path = admin.begin("taken", resources)
    admin.wait(path, "CREATE_FAILED")

    admin.delete(path)

    assert len(admin.ask("identity", "GET", "/projects?name=demo").json()["projects"]) == 1
