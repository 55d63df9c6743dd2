"""Projects, domains, users, groups, roles and what they are to each other."""

from __future__ import annotations

import pytest

from tests.support.cloud import Cloud, error_of


def names(answer: object, plural: str) -> list[str]:
    return [each["name"] for each in answer.json()[plural]]  # type: ignore[attr-defined]


class TestSeeding:
    def test_a_new_cloud_has_what_openstack_expects(self, cloud: Cloud) -> None:
        assert names(cloud.get("/projects"), "projects") == ["admin", "demo", "service"]
        assert names(cloud.get("/users"), "users") == ["admin", "demo", "heat"]
        assert names(cloud.get("/roles"), "roles") == [
            "admin",
            "member",
            "reader",
            "service",
            "heat_stack_user",
        ]
        assert names(cloud.get("/domains"), "domains") == ["Default"]
        assert [each["id"] for each in cloud.get("/regions").json()["regions"]] == ["RegionOne"]
        services = names(cloud.get("/services"), "services")
        assert {"keystone", "nova", "neutron", "glance", "cinder", "heat"} <= set(services)
        assert len(cloud.get("/endpoints").json()["endpoints"]) == 3 * len(services)

    def test_state_survives_a_restart(self, cloud: Cloud) -> None:
        project = cloud.make("/projects", "project", name="kept", description="for long", colour="red")
        cloud.restart()
        assert cloud.get(f"/projects/{project['id']}").json()["project"] == project


class TestProjects:
    def test_given_attributes_of_a_project_are_shown(self, cloud: Cloud) -> None:
        project = cloud.make("/projects", "project", name="blue", colour="blue", tags=["a", "b"])
        assert project["domain_id"] == project["parent_id"] == "default"
        assert (project["enabled"], project["is_domain"], project["description"]) == (True, False, "")
        assert (project["colour"], project["tags"]) == ("blue", ["a", "b"])
        assert project["links"]["self"] == f"http://cloud:5000/identity/v3/projects/{project['id']}"

    def test_updates_keep_other_attributes(self, cloud: Cloud) -> None:
        project = cloud.make("/projects", "project", name="blue", colour="blue")
        answer = cloud.request(
            "PATCH", f"/projects/{project['id']}", {"project": {"name": "green", "size": 3}}
        )
        assert answer.json()["project"] == {**project, "name": "green", "size": 3}

    def test_project_names_are_unique_in_a_domain(self, cloud: Cloud) -> None:
        assert error_of(cloud.post("/projects", {"project": {"name": "demo"}})) == (409, 409, "Conflict")
        other = cloud.make("/domains", "domain", name="other")
        cloud.make("/projects", "project", name="demo", domain_id=other["id"])
        blue = cloud.make("/projects", "project", name="blue")
        answer = cloud.request("PATCH", f"/projects/{blue['id']}", {"project": {"name": "demo"}})
        assert answer.status_code == 409

    def test_the_domain_and_the_parent_cannot_change(self, cloud: Cloud) -> None:
        path = f"/projects/{cloud.id_of('projects', 'demo')}"
        assert cloud.request("PATCH", path, {"project": {"domain_id": "other"}}).status_code == 400
        assert cloud.request("PATCH", path, {"project": {"parent_id": None}}).status_code == 400

    def test_a_project_with_children_cannot_be_deleted(self, cloud: Cloud) -> None:
        parent = cloud.make("/projects", "project", name="parent")
        child = cloud.make("/projects", "project", name="child", parent_id=parent["id"])
        assert cloud.request("DELETE", f"/projects/{parent['id']}").status_code == 403
        assert cloud.request("DELETE", f"/projects/{child['id']}").status_code == 204
        assert cloud.request("DELETE", f"/projects/{parent['id']}").status_code == 204

    def test_filters_and_pagination(self, cloud: Cloud) -> None:
        assert names(cloud.get("/projects?name=demo"), "projects") == ["demo"]
        assert names(cloud.get("/projects?name__startswith=ad"), "projects") == ["admin"]
        assert names(cloud.get("/projects?enabled=false"), "projects") == []
        assert names(cloud.get("/projects?domain_id=none"), "projects") == []
        first = cloud.get("/projects?limit=2")
        assert names(first, "projects") == ["admin", "demo"]
        following = first.json()["links"]["next"].partition("/v3")[2]
        second = cloud.get(following)
        assert names(second, "projects") == ["service"]
        assert second.json()["links"]["next"] is None

    def test_tags_are_set_one_by_one_or_together(self, cloud: Cloud) -> None:
        path = f"/projects/{cloud.id_of('projects', 'demo')}/tags"
        assert cloud.request("PUT", f"{path}/one").status_code == 201
        assert cloud.request("PUT", path, {"tags": ["one", "two"]}).json()["tags"] == ["one", "two"]
        assert cloud.request("DELETE", f"{path}/one").status_code == 204
        assert cloud.request("HEAD", f"{path}/one").status_code == 404
        assert cloud.get(path).json()["tags"] == ["two"]
        assert names(cloud.get("/projects?tags=two"), "projects") == ["demo"]
        assert cloud.request("DELETE", path).status_code == 204
        assert cloud.get(path).json()["tags"] == []


class TestDomains:
    def test_only_a_disabled_domain_can_be_deleted_with_its_content(self, cloud: Cloud) -> None:
        domain = cloud.make("/domains", "domain", name="heat", description="stacks")
        user = cloud.make("/users", "user", name="admin", domain_id=domain["id"])
        project = cloud.make("/projects", "project", name="one", domain_id=domain["id"])
        path = f"/domains/{domain['id']}"
        assert cloud.request("DELETE", path).status_code == 403
        disabled = cloud.request("PATCH", path, {"domain": {"enabled": False}}).json()["domain"]
        assert disabled == {**domain, "enabled": False}
        assert cloud.request("DELETE", path).status_code == 204
        for gone in (path, f"/users/{user['id']}", f"/projects/{project['id']}"):
            assert cloud.get(gone).status_code == 404

    def test_names_of_domains_are_unique(self, cloud: Cloud) -> None:
        assert cloud.post("/domains", {"domain": {"name": "Default"}}).status_code == 409


class TestUsers:
    def test_a_password_is_never_shown(self, cloud: Cloud) -> None:
        user = cloud.user("eve", "member")
        shown = cloud.get(f"/users/{user['id']}").json()["user"]
        assert shown == user
        assert not [member for member in shown if "password" in member and member != "password_expires_at"]

    def test_extra_attributes_are_stored(self, cloud: Cloud) -> None:
        user = cloud.make("/users", "user", name="eve", email="eve@example.org", description="x", shoe=42)
        assert (user["email"], user["description"], user["shoe"]) == ("eve@example.org", "x", 42)

    def test_changing_a_password_requires_the_old_one(self, cloud: Cloud) -> None:
        user = cloud.user("eve", "member")
        body = {"user": {"original_password": "wrong", "password": "new"}}
        assert cloud.post(f"/users/{user['id']}/password", body, as_user="eve").status_code == 401
        assert cloud.post("/users/none/password", body).status_code == 401

    def test_an_admin_sets_a_password_without_the_old_one(self, cloud: Cloud) -> None:
        user = cloud.user("eve", "member")
        cloud.request("PATCH", f"/users/{user['id']}", {"user": {"password": "new"}})
        assert cloud.log_in("eve").status_code == 401
        assert cloud.log_in("eve", password="new").status_code == 201

    def test_users_see_themselves_and_their_projects_and_groups(self, cloud: Cloud) -> None:
        me, other = cloud.id_of("users", "demo"), cloud.id_of("users", "admin")
        assert cloud.get(f"/users/{me}", as_user="demo").json()["user"]["name"] == "demo"
        assert names(cloud.get(f"/users/{me}/projects", as_user="demo"), "projects") == ["demo"]
        assert names(cloud.get(f"/users/{me}/groups", as_user="demo"), "groups") == []
        assert cloud.get(f"/users/{other}", as_user="demo").status_code == 403
        assert cloud.get(f"/users/{other}/projects", as_user="demo").status_code == 403


class TestGroups:
    def test_members_have_the_roles_of_their_groups(self, cloud: Cloud) -> None:
        user = cloud.user("eve")
        group = cloud.make("/groups", "group", name="staff")
        member = f"/groups/{group['id']}/users/{user['id']}"
        assert cloud.request("HEAD", member).status_code == 404
        assert cloud.request("PUT", member).status_code == 204
        assert cloud.request("HEAD", member).status_code == 204
        assert names(cloud.get(f"/groups/{group['id']}/users"), "users") == ["eve"]
        assert names(cloud.get(f"/users/{user['id']}/groups"), "groups") == ["staff"]

        role, project = cloud.id_of("roles", "member"), cloud.id_of("projects", "demo")
        scope = {"project": {"id": project}}
        assert cloud.log_in("eve", scope).status_code == 401
        grant = f"/projects/{project}/groups/{group['id']}/roles/{role}"
        assert cloud.request("PUT", grant).status_code == 204
        roles = cloud.log_in("eve", scope).json()["token"]["roles"]
        assert [each["name"] for each in roles] == ["member", "reader"]

        assert cloud.request("DELETE", member).status_code == 204
        assert cloud.log_in("eve", scope).status_code == 401
        assert cloud.request("DELETE", f"/groups/{group['id']}").status_code == 204
        assert cloud.get("/role_assignments?group.id=" + group["id"]).json()["role_assignments"] == []


class TestRoles:
    def test_roles_are_granted_checked_listed_and_revoked(self, cloud: Cloud) -> None:
        user, role = cloud.user("eve")["id"], cloud.id_of("roles", "reader")
        for place in (f"projects/{cloud.id_of('projects', 'demo')}", "domains/default", "system"):
            granted = f"/{place}/users/{user}/roles"
            assert cloud.request("HEAD", f"{granted}/{role}").status_code == 404
            assert cloud.request("DELETE", f"{granted}/{role}").status_code == 404
            for _ in range(2):
                assert cloud.request("PUT", f"{granted}/{role}").status_code == 204
            assert cloud.request("HEAD", f"{granted}/{role}").status_code == 204
            assert names(cloud.get(granted), "roles") == ["reader"]
            assert cloud.request("DELETE", f"{granted}/{role}").status_code == 204
            assert names(cloud.get(granted), "roles") == []

    @pytest.mark.parametrize("missing", ["project", "user", "role"])
    def test_a_grant_needs_an_existing_role_actor_and_target(self, cloud: Cloud, missing: str) -> None:
        parts = {
            "project": cloud.id_of("projects", "demo"),
            "user": cloud.id_of("users", "demo"),
            "role": cloud.id_of("roles", "reader"),
            missing: "none",
        }
        path = f"/projects/{parts['project']}/users/{parts['user']}/roles/{parts['role']}"
        assert error_of(cloud.request("PUT", path)) == (404, 404, "Not Found")

    def test_deleting_a_role_removes_its_assignments(self, cloud: Cloud) -> None:
        role = cloud.make("/roles", "role", name="painter")
        cloud.user("eve", "painter")
        token = cloud.token_of("eve")
        assert cloud.request("DELETE", f"/roles/{role['id']}").status_code == 204
        assert not cloud.is_valid(token)

    def test_a_role_can_imply_others(self, cloud: Cloud) -> None:
        prior = cloud.make("/roles", "role", name="painter")["id"]
        reader = cloud.id_of("roles", "reader")
        path = f"/roles/{prior}/implies/{reader}"
        assert cloud.request("PUT", path).json()["role_inference"]["implies"]["name"] == "reader"
        implied = cloud.get(f"/roles/{prior}/implies").json()["role_inference"]["implies"]
        assert [role["name"] for role in implied] == ["reader"]
        priors = [
            each["prior_role"]["name"] for each in cloud.get("/role_inferences").json()["role_inferences"]
        ]
        assert priors == ["admin", "member", "painter"]
        assert cloud.request("PUT", f"/roles/{reader}/implies/{prior}").status_code == 403
        assert cloud.request("PUT", f"/roles/{reader}/implies/{reader}").status_code == 403
        assert cloud.request("DELETE", path).status_code == 204
        assert cloud.request("HEAD", path).status_code == 404


class TestRoleAssignments:
    def test_the_list_is_filtered(self, cloud: Cloud) -> None:
        demo, admin = cloud.id_of("users", "demo"), cloud.id_of("users", "admin")
        [only] = cloud.get(f"/role_assignments?user.id={demo}").json()["role_assignments"]
        assert only["user"] == {"id": demo}
        assert only["scope"] == {"project": {"id": cloud.id_of("projects", "demo")}}
        of_admin = cloud.get(f"/role_assignments?user.id={admin}").json()["role_assignments"]
        assert {kind for each in of_admin for kind in each["scope"]} == {"project", "domain", "system"}
        [system] = cloud.get("/role_assignments?scope.system=all").json()["role_assignments"]
        assert system["scope"] == {"system": {"all": True}}
        [domain] = cloud.get("/role_assignments?scope.domain.id=default").json()["role_assignments"]
        assert domain["user"]["id"] == admin

    def test_effective_assignments_include_groups_and_implied_roles(self, cloud: Cloud) -> None:
        user, group = cloud.user("eve")["id"], cloud.make("/groups", "group", name="staff")["id"]
        project, role = cloud.id_of("projects", "demo"), cloud.id_of("roles", "member")
        cloud.request("PUT", f"/groups/{group}/users/{user}")
        cloud.request("PUT", f"/projects/{project}/groups/{group}/roles/{role}")
        query = f"/role_assignments?user.id={user}&scope.project.id={project}&include_names"
        assert cloud.get(query).json()["role_assignments"] == []
        found = cloud.get(f"{query}&effective").json()["role_assignments"]
        assert {each["role"]["name"] for each in found} == {"member", "reader"}
        assert found[0]["user"]["name"] == "eve"
        assert found[0]["scope"]["project"]["name"] == "demo"
        assert found[0]["scope"]["project"]["domain"] == {"id": "default", "name": "Default"}


class TestCatalog:
    def test_services_and_endpoints_are_created_and_deleted(self, cloud: Cloud) -> None:
        service = cloud.make("/services", "service", type="dns", name="designate")
        region = cloud.make("/regions", "region", id="north", description="cold")
        endpoint = cloud.make(
            "/endpoints",
            "endpoint",
            service_id=service["id"],
            interface="public",
            url="http://dns/",
            region_id=region["id"],
        )
        assert endpoint["region"] == "north"
        catalog = cloud.get("/auth/catalog").json()["catalog"]
        assert catalog[-1]["endpoints"][0]["url"] == "http://dns/"
        assert cloud.request("DELETE", "/regions/north").status_code == 403
        changed = cloud.request(
            "PATCH", f"/endpoints/{endpoint['id']}", {"endpoint": {"url": "http://dns2/"}}
        )
        assert changed.json()["endpoint"] == {**endpoint, "url": "http://dns2/"}
        assert cloud.request("DELETE", f"/services/{service['id']}").status_code == 204
        assert cloud.get(f"/endpoints/{endpoint['id']}").status_code == 404
        assert cloud.request("DELETE", "/regions/north").status_code == 204

    def test_an_endpoint_needs_a_service_and_a_region(self, cloud: Cloud) -> None:
        service = cloud.id_of("services", "heat")
        body = {"service_id": "none", "interface": "public", "url": "http://x"}
        assert cloud.post("/endpoints", {"endpoint": body}).status_code == 400
        body |= {"service_id": service, "region_id": "none"}
        assert cloud.post("/endpoints", {"endpoint": body}).status_code == 400

    def test_regions_can_be_nested_without_cycles(self, cloud: Cloud) -> None:
        assert (
            cloud.request("PUT", "/regions/south", {"region": {"parent_region_id": "RegionOne"}}).status_code
            == 201
        )
        assert cloud.request("PUT", "/regions/south", {"region": {}}).status_code == 409
        answer = cloud.request("PATCH", "/regions/RegionOne", {"region": {"parent_region_id": "south"}})
        assert answer.status_code == 400
        assert cloud.request("DELETE", "/regions/RegionOne").status_code == 403


class TestPolicy:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/users"),
            ("POST", "/users"),
            ("GET", "/projects"),
            ("POST", "/projects"),
            ("GET", "/domains"),
            ("POST", "/roles"),
            ("GET", "/role_assignments"),
            ("GET", "/services"),
            ("POST", "/endpoints"),
            ("PATCH", "/users/none"),
            ("DELETE", "/projects/none"),
            ("PUT", "/system/users/none/roles/none"),
            ("POST", "/ec2tokens"),
        ],
    )
    def test_members_cannot_administer(self, cloud: Cloud, method: str, path: str) -> None:
        assert error_of(cloud.request(method, path, as_user="demo")) == (403, 403, "Forbidden")
        without = cloud.client.request(method, f"/identity/v3{path}")
        assert without.status_code == 401

    def test_members_see_their_project_domain_and_the_regions(self, cloud: Cloud) -> None:
        own, other = cloud.id_of("projects", "demo"), cloud.id_of("projects", "admin")
        assert cloud.get(f"/projects/{own}", as_user="demo").status_code == 200
        assert cloud.get(f"/projects/{other}", as_user="demo").status_code == 403
        assert cloud.get("/domains/default", as_user="demo").status_code == 200
        assert cloud.get("/regions", as_user="demo").status_code == 200

    def test_readers_of_the_system_see_everything_and_change_nothing(self, cloud: Cloud) -> None:
        user = cloud.user("auditor")
        cloud.request("PUT", f"/system/users/{user['id']}/roles/{cloud.id_of('roles', 'reader')}")
        token = cloud.token_of("auditor", {"system": {"all": True}})
        assert cloud.get("/users", token=token).status_code == 200
        assert cloud.post("/users", {"user": {"name": "x"}}, token=token).status_code == 403
