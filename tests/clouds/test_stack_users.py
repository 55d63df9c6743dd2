"""Stack users: creating them is idempotent, and deleting leaves nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from calor.clouds import errors
from calor.clouds.calls import Api
from calor.clouds.sessions import Cloud, access_of
from calor.clouds.stack_users import DomainAdmin, StackUsers, project_name


@pytest.fixture
def users(cloud: Cloud) -> StackUsers:
    return StackUsers(cloud)


@pytest.fixture
def project(users: StackUsers) -> str:
    return users.create_project("abc", uuid4().hex)


def identity(cloud: Cloud) -> Any:
    return cloud.identity(cloud.service)


def exists(cloud: Cloud, *path: str) -> bool:
    try:
        identity(cloud).request("GET", *path)
    except errors.NotFound:
        return False
    return True


class TestDomain:
    def test_it_is_created_once(self, cloud: Cloud) -> None:
        name = f"domain {uuid4().hex}"
        first = StackUsers(cloud, name).domain_id
        assert StackUsers(cloud, name).domain_id == first
        assert identity(cloud).request("GET", "domains", first)["domain"]["name"] == name

    def test_many_at_once_get_the_same(self, cloud: Cloud) -> None:
        name = f"domain {uuid4().hex}"
        with ThreadPoolExecutor(6) as threads:
            found = list(threads.map(lambda _: StackUsers(cloud, name).domain_id, range(6)))
        assert len(set(found)) == 1

    def test_it_may_have_its_own_admin(self, cloud: Cloud) -> None:
        name = f"domain {uuid4().hex}"
        domain = StackUsers(cloud, name).domain_id
        wanted = {"name": "boss", "domain_id": domain, "password": "open sesame"}
        boss = identity(cloud).request("POST", "users", body={"user": wanted})["user"]["id"]
        [role] = identity(cloud).request("GET", "roles", params={"name": "admin"})["roles"]
        identity(cloud).request("PUT", "domains", domain, "users", boss, "roles", role["id"])
        admin = DomainAdmin("boss", "open sesame")
        for number, users in enumerate(
            (StackUsers(cloud, name, admin=admin), StackUsers(cloud, id=domain, admin=admin))
        ):
            assert users.domain_id == domain
            made = users.create_user(f"server{number}", users.create_project("abc", str(number)))
            assert made.domain_id == domain

    def test_it_may_be_known_by_its_id(self, cloud: Cloud) -> None:
        domain = StackUsers(cloud, f"domain {uuid4().hex}").domain_id
        users = StackUsers(cloud, "no such name", id=domain)
        assert users.domain_id == domain
        assert users.create_user("server", users.create_project("abc", "1")).domain_id == domain

    def test_a_role_that_is_missing_is_named(self, cloud: Cloud) -> None:
        with pytest.raises(errors.Permanent, match="role nobody does not exist"):
            _ = StackUsers(cloud, role="nobody").domain_id


class TestProject:
    def test_there_is_one_for_each_stack(self, cloud: Cloud, users: StackUsers) -> None:
        stack = uuid4().hex
        made = users.create_project("abc", stack)
        assert users.create_project("abc", stack) == made
        shown = identity(cloud).request("GET", "projects", made)["project"]
        assert (shown["name"], shown["domain_id"]) == (f"abc-{stack}", users.domain_id)

    def test_long_names_are_cut(self) -> None:
        assert project_name("p" * 32, "s" * 36) == f"{'p' * 32}-{'s' * 31}"

    def test_its_users_go_with_it(self, cloud: Cloud, users: StackUsers, project: str) -> None:
        made = [users.create_user(uuid4().hex, project) for _ in range(3)]
        other = users.create_user(uuid4().hex, users.create_project("abc", uuid4().hex))
        users.delete_project(project)
        assert not exists(cloud, "projects", project)
        assert not any(exists(cloud, "users", user.id) for user in made)
        assert exists(cloud, "users", other.id)
        users.delete_project(project)

    def test_guests_from_other_domains_stay(self, cloud: Cloud, users: StackUsers, project: str) -> None:
        guest = access_of(cloud.service).user_id
        [role] = identity(cloud).request("GET", "roles", params={"name": "reader"})["roles"]
        identity(cloud).request("PUT", "projects", project, "users", guest, "roles", role["id"])
        users.delete_project(project)
        assert exists(cloud, "users", guest)

    def test_a_project_of_people_is_never_deleted(self, cloud: Cloud, users: StackUsers, token: str) -> None:
        theirs = access_of(cloud.with_token(token)).project_id
        with pytest.raises(errors.Permanent, match="not a project of stack users"):
            users.delete_project(theirs)
        assert exists(cloud, "projects", theirs)


class TestUser:
    def test_it_logs_in_with_its_one_role(self, cloud: Cloud, users: StackUsers, project: str) -> None:
        user = users.create_user(uuid4().hex, project)
        access = access_of(cloud.as_user(user.id, user.password, project))
        assert (access.user_id, access.username, access.project_id) == (user.id, user.name, project)
        assert access.user_domain_id == user.domain_id == users.domain_id
        assert access.role_names == ["heat_stack_user"]

    def test_creating_it_again_sets_a_new_password(
        self, cloud: Cloud, users: StackUsers, project: str
    ) -> None:
        first = users.create_user(uuid4().hex, project)
        users.enable_user(first.id, False)
        second = users.create_user(first.name, project)
        assert second.id == first.id
        assert second.password != first.password
        access_of(cloud.as_user(second.id, second.password, project))
        with pytest.raises(errors.Unauthorized):
            access_of(cloud.as_user(first.id, first.password, project))

    def test_that_of_another_stack_is_not_taken_over(self, users: StackUsers, project: str) -> None:
        other = users.create_user(uuid4().hex, users.create_project("abc", uuid4().hex))
        with pytest.raises(errors.Conflict):
            users.create_user(other.name, project)

    def test_it_is_kept_out_and_let_in_again(self, cloud: Cloud, users: StackUsers, project: str) -> None:
        user = users.create_user(uuid4().hex, project)
        users.enable_user(user.id, False)
        with pytest.raises(errors.Unauthorized):
            access_of(cloud.as_user(user.id, user.password, project))
        users.enable_user(user.id, True)
        access_of(cloud.as_user(user.id, user.password, project))

    def test_that_it_is_gone_is_fine(self, cloud: Cloud, users: StackUsers, project: str) -> None:
        user = users.create_user(uuid4().hex, project)
        users.delete_user(user.id)
        assert not exists(cloud, "users", user.id)
        users.delete_user(user.id)
        users.enable_user(user.id, True)

    def test_its_password_is_not_shown(self, users: StackUsers, project: str) -> None:
        user = users.create_user(uuid4().hex, project)
        assert user.password not in repr(user)


class TestKeys:
    def test_a_user_has_one_pair_for_a_project(self, users: StackUsers, project: str) -> None:
        user = users.create_user(uuid4().hex, project)
        keys = users.create_keys(user.id, user.password, project)
        assert keys.access
        assert keys.secret
        assert users.create_keys(user.id, user.password, project) == keys

    def test_the_user_asks_for_them_as_the_admin_of_the_domain_may_not(
        self, cloud: Cloud, users: StackUsers, project: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        user = users.create_user(uuid4().hex, project)
        asked_by: list[str] = []
        send = Api.send

        def noted(api: Api, method: str, path: str, **more: Any) -> Any:
            if "credentials" in path:
                asked_by.append(str(access_of(api.session).user_id))
            return send(api, method, path, **more)

        monkeypatch.setattr(Api, "send", noted)
        users.create_keys(user.id, user.password, project)
        assert set(asked_by) == {user.id}
