"""What somebody may do does not depend on the API they use, nor on who acts after them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from calor.clouds.ec2 import ReceivedRequest, Signer
from calor.service.caller import Caller
from calor.service.commands import NewStack, StackChange
from calor.service.errors import ServiceError
from calor.stacks.vault import Vault
from calor.store import records, tables
from calor.store.cipher import Cipher
from tests.support.api import PROJECT, Stage, error, open_door, token
from tests.support.cfn import cfn_app, signer

SIGNED = {"AWSAccessKeyId": "key", "Signature": "s", "SignatureVersion": "2"}
READER = token("rita", roles="reader")
EMPTY = {"heat_template_version": "2021-04-16", "resources": {}}


class TestReaders:
    @pytest.mark.parametrize("action", ["check", "suspend", "resume", "retry", "cancel_update"])
    def test_they_start_no_action(self, stage: Stage, action: str) -> None:
        stack = stage.add_stack("s")

        error(open_door(stage).by(READER)("POST", f"/stacks/s/{stack}/actions", {action: None}), 403)

    @pytest.mark.parametrize(
        ("roles", "status"), [("reader", 403), ("member", 200), ("heat_stack_user", 200), ("", 403)]
    )
    def test_both_apis_take_signals_from_the_same_people(self, stage: Stage, roles: str, status: int) -> None:
        stack = stage.add_stack("s")
        stage.add_resource(stack, "h", type="OS::Heat::WaitConditionHandle", data={"user_id": "id-of-rita"})

        def verify(received: ReceivedRequest) -> Signer:
            return signer("id-of-rita", PROJECT, *filter(None, roles.split(",")), name="rita")

        client = TestClient(cfn_app(stage, verify), base_url="http://cfn.test")
        arn = f"arn:openstack:heat::{PROJECT}:stacks/s/{stack}/resources/h"
        signed = client.post(f"/v1/signal/{arn}", params=SIGNED, content=b"{}")
        door = open_door(stage).by(token("rita", roles=roles))

        assert signed.status_code == status
        assert door("POST", f"/stacks/s/{stack}/resources/h/signal", {}).status_code == status


class Trusts:
    """Stands in for the trusts of an identity service."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.ended: list[str] = []
        self.of_others: set[str] = set()
        """The tokens of trusts to somebody else than the service."""

    def create(self, cloud: Any, token: str, roles: Any) -> Any:
        self.made.append(token)
        return type("Trust", (), {"id": f"trust-{len(self.made)}"})


@pytest.fixture
def trusts(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Trusts:
    """Who is asked for trusts, by their tokens."""
    made = Trusts()
    monkeypatch.setattr("calor.stacks.vault.create_trust", made.create)
    monkeypatch.setattr("calor.stacks.vault.delete_trust", lambda cloud, id: made.ended.append(id))
    monkeypatch.setattr("calor.stacks.vault.is_usable", lambda cloud, token: token not in made.of_others)
    vault = Vault(None, Cipher(Cipher.new_key()))  # type: ignore[arg-type]
    monkeypatch.setattr(vault, "services_for", lambda token: None)
    stage.use_vault(vault)
    return made


def person(name: str, *roles: str, **more: Any) -> Caller:
    admin = "admin" in roles
    return Caller(
        user_id=name, username=name, project=PROJECT, roles=roles, token=name, is_admin=admin, **more
    )


OWNER = person("owner", "member", "reader")
COLLEAGUE = person("colleague", "member", "reader")
ADMIN = person("admin", "admin", "member", "reader")


def deputy_of(trusts: Trusts, *roles: str) -> Caller:
    """Somebody who acts as the owner, by a trust that the owner gave to them."""
    trusts.of_others.add("deputy")
    return replace(person("owner", *roles, trust_id="lent"), token="deputy")


def kept(stage: Stage) -> bytes:
    with stage.database.connect() as connection:
        return bytes(connection.execute(select(tables.credentials.c.secret)).scalar_one())


def created(stage: Stage, by: Caller) -> records.Stack:
    stack = stage.commands.stacks.create(by, NewStack("s", {"template": EMPTY}))
    stage.change(tables.stack, stack.id, status="COMPLETE")
    return records.changed(stack, status="COMPLETE")


class TestWhoseTrustAStackHas:
    @pytest.mark.parametrize("who", [COLLEAGUE, ADMIN], ids=["member", "admin"])
    def test_a_check_changes_nothing(self, stage: Stage, trusts: Trusts, who: Caller) -> None:
        stack = created(stage, OWNER)
        before = kept(stage)

        stage.commands.stacks.act(who, stack, "check")

        assert (kept(stage), trusts.made) == (before, ["owner"])

    def test_an_admin_gives_a_stack_no_rights(self, stage: Stage, trusts: Trusts) -> None:
        stack = created(stage, OWNER)

        stage.commands.stacks.act(ADMIN, stack, "suspend")
        stage.change(tables.stack, stack.id, status="COMPLETE", action="CREATE")
        stage.commands.stacks.update(ADMIN, stack, StackChange({"template": EMPTY}))

        assert trusts.made == ["owner"]

    def test_admins_take_over_from_each_other(self, stage: Stage, trusts: Trusts) -> None:
        stack = created(stage, ADMIN)

        stage.commands.stacks.act(person("second", "admin", "member", "reader"), stack, "suspend")

        assert trusts.made == ["admin", "second"]

    def test_a_member_who_changes_it_takes_over(self, stage: Stage, trusts: Trusts) -> None:
        stack = created(stage, OWNER)

        stage.commands.stacks.update(COLLEAGUE, stack, StackChange({"template": EMPTY}))

        assert trusts.made == ["owner", "colleague"]

    def test_who_comes_with_fewer_roles_has_it_act_with_these(self, stage: Stage, trusts: Trusts) -> None:
        """As with an application credential, which may have some of the roles of its user."""
        stack = created(stage, person("owner", "creator", "member", "reader"))

        stage.commands.stacks.update(OWNER, stack, StackChange({"template": EMPTY}))

        assert trusts.made == ["owner", "owner"]

    def test_who_comes_by_a_trust_has_it_act_by_that(self, stage: Stage, trusts: Trusts) -> None:
        stack = created(stage, OWNER)
        before = kept(stage)

        delegate = person("owner", "member", "reader", trust_id="lent")
        stage.commands.stacks.update(delegate, stack, StackChange({"template": EMPTY}))

        assert kept(stage) != before
        assert trusts.made == ["owner"]

    @pytest.mark.parametrize("roles", [("member", "reader"), ("creator", "member", "reader")])
    def test_who_comes_by_a_trust_to_somebody_else_changes_nothing(
        self, stage: Stage, trusts: Trusts, roles: tuple[str, ...]
    ) -> None:
        """The service could not act by it, and the owner would lose the stack with it."""
        stack, before = created(stage, OWNER), kept(stage)
        deputy = deputy_of(trusts, *roles)

        with pytest.raises(ServiceError) as refused:
            stage.commands.stacks.update(deputy, stack, StackChange({"template": EMPTY}))
        with pytest.raises(ServiceError):
            stage.commands.stacks.act(deputy, stack, "suspend")
        with pytest.raises(ServiceError):
            stage.commands.stacks.create(deputy, NewStack("t", {"template": EMPTY}))

        assert refused.value.kind == "Forbidden"
        assert (kept(stage), trusts.ended) == (before, [])

    def test_who_comes_by_a_trust_to_somebody_else_deletes_with_the_rights_of_the_stack(
        self, stage: Stage, trusts: Trusts
    ) -> None:
        stack, before = created(stage, OWNER), kept(stage)

        stage.commands.stacks.delete(deputy_of(trusts, "member", "reader"), stack)

        assert (kept(stage), trusts.ended) == (before, [])
