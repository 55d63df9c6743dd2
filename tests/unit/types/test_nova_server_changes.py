"""Servers of Nova: how they change, rest, and are kept as images."""

from __future__ import annotations

from typing import Any

import pytest

from calor.clouds.errors import Conflict
from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, FakeContext, Request, properties_of, run
from calor.types.nova.server.interfaces import plan_interfaces
from calor.types.nova.server.server import Server

SMALL, LARGE = "0d6f4bbe-7d4c-4c3e-9c35-000000000001", "0d6f4bbe-7d4c-4c3e-9c35-000000000002"
OLD, NEW = "0d6f4bbe-7d4c-4c3e-9c35-000000000003", "0d6f4bbe-7d4c-4c3e-9c35-000000000004"
ONE, TWO = "0d6f4bbe-7d4c-4c3e-9c35-000000000005", "0d6f4bbe-7d4c-4c3e-9c35-000000000006"
SUBNET = "0d6f4bbe-7d4c-4c3e-9c35-000000000007"
PORT = "0d6f4bbe-7d4c-4c3e-9c35-000000000008"


def interface(port: str, network: str, *addresses: str) -> dict[str, Any]:
    fixed = [{"ip_address": address, "subnet_id": SUBNET} for address in addresses]
    return {"port_id": port, "net_id": network, "fixed_ips": fixed}


class Nova(FakeCloud):
    """Does what the actions of one server ask for."""

    def running(self, **members: Any) -> Nova:
        self.next_status = {"RESIZE": "VERIFY_RESIZE", "REBUILD": "ACTIVE", "SUSPENDING": "SUSPENDED"}
        self.place(
            "/servers/s1",
            name="web",
            status="ACTIVE",
            flavor={"id": SMALL},
            image={"id": OLD},
            addresses={},
            metadata={},
            tags=[],
        )
        self.objects["/servers/s1"].update(members)
        self.interfaces: list[dict[str, Any]] = []
        self.responses |= {
            "POST /servers/s1/action": self.act,
            "GET /servers/s1/os-interface": lambda request: {"interfaceAttachments": list(self.interfaces)},
            "POST /servers/s1/os-interface": self.plug,
        }
        return self

    @property
    def server(self) -> dict[str, Any]:
        return self.objects["/servers/s1"]

    def acted(self) -> list[Any]:
        return [one.body for one in self.requests if one.path.endswith("/action")]

    def act(self, request: Request) -> dict[str, Any]:
        [(action, given)] = request.body.items()
        match action:
            case "resize":
                self.server.update(status="RESIZE", flavor={"id": given["flavorRef"]})
            case "confirmResize" | "resume":
                self.server.update(status="ACTIVE")
            case "rebuild":
                self.server.update(status="REBUILD", image={"id": given["imageRef"]})
            case "suspend":
                self.server.update(status="SUSPENDING")
            case "createImage":
                self.place("/images/i1", name=given["name"], status="queued")
                self.next_status["queued"] = "active"
                return {"image_id": "i1"}
        return {}

    def attach(self, port: str, network: str = ONE, *addresses: str) -> None:
        self.interfaces.append(interface(port, network, *addresses))
        self.place(f"/ports/{port}", device_id="s1")
        self.responses[f"DELETE /servers/s1/os-interface/{port}"] = self.unplug

    def plug(self, request: Request) -> dict[str, Any]:
        wanted = request.body["interfaceAttachment"]
        self.attach(wanted.get("port_id") or f"new-{len(self.interfaces)}", wanted.get("net_id") or ONE)
        return {"interfaceAttachment": {}}

    def unplug(self, request: Request) -> dict[str, Any]:
        port = request.path.rpartition("/")[2]
        self.interfaces = [one for one in self.interfaces if one["port_id"] != port]
        return {}


def properties(**given: Any) -> dict[str, Any]:
    return properties_of(Server, **{"flavor": SMALL, "image": OLD, "user_data_format": "RAW", **given})


def a_server(cloud: Nova | None = None, **given: Any) -> FakeContext:
    cloud = cloud or Nova().running()
    return FakeContext(
        Server, properties(**given), action="UPDATE", services=cloud, physical_id="s1", data={"_shown": {}}
    )


def changed(context: FakeContext, **given: Any) -> Nova:
    props = {**context.properties, **given}
    assert not Server.needs_replacement(context.properties, props, frozenset(given))
    run(Server.update(context, props, frozenset(given)))
    cloud = context.services
    assert isinstance(cloud, Nova)
    return cloud


class TestInPlace:
    def test_name_metadata_tags_and_password(self) -> None:
        context = a_server()
        context.services.place("/servers/s1/metadata")

        cloud = changed(context, name="new", metadata={"a": 1}, tags=["x"], admin_pass="secret")

        assert cloud.server["name"] == "new"
        assert cloud.body("PUT /servers/s1/metadata") == {"metadata": {"a": "1"}}
        assert cloud.body("PUT /servers/s1/tags") == {"tags": ["x"]}
        assert {"changePassword": {"adminPass": "secret"}} in cloud.acted()
        assert Server.attribute(context, "name") == "new"

    def test_tags_that_are_gone_are_taken_away(self) -> None:
        assert changed(a_server(tags=["x"]), tags=None).body("PUT /servers/s1/tags") == {"tags": []}

    def test_a_new_flavor_is_confirmed(self) -> None:
        cloud = changed(a_server(), flavor=LARGE)

        assert cloud.acted() == [{"resize": {"flavorRef": LARGE}}, {"confirmResize": None}]
        assert (cloud.server["status"], cloud.server["flavor"]) == ("ACTIVE", {"id": LARGE})

    def test_a_resize_that_was_interrupted_is_brought_to_its_end(self) -> None:
        waiting = Nova().running(status="VERIFY_RESIZE", flavor={"id": LARGE})
        ended = Nova().running(flavor={"id": LARGE})

        assert changed(a_server(waiting), flavor=LARGE).acted() == [{"confirmResize": None}]
        assert changed(a_server(ended), flavor=LARGE).acted() == []

    def test_a_resize_that_the_cloud_takes_back_fails(self) -> None:
        cloud = Nova().running()
        cloud.responses["POST /servers/s1/action"] = {}

        with pytest.raises(ResourceFailed, match="Resizing to"):
            changed(a_server(cloud), flavor=LARGE)

    def test_a_new_image_rebuilds(self) -> None:
        policy = "REBUILD_PRESERVE_EPHEMERAL"

        cloud = changed(a_server(image_update_policy=policy, metadata={"a": "b"}), image=NEW)

        assert cloud.acted() == [
            {"rebuild": {"imageRef": NEW, "preserve_ephemeral": True, "metadata": {"a": "b"}}}
        ]
        assert cloud.server["status"] == "ACTIVE"

    def test_new_user_data_rebuild_if_that_is_wanted(self) -> None:
        cloud = changed(a_server(user_data_update_policy="REBUILD"), user_data="#!")

        assert cloud.acted() == [{"rebuild": {"imageRef": OLD, "user_data": "IyE="}}]
        assert [one.version for one in cloud.requests if one.path.endswith("/action")] == ["2.57"]

    def test_or_change_nothing(self) -> None:
        assert changed(a_server(user_data_update_policy="IGNORE"), user_data="#!").acted() == []


@pytest.mark.parametrize(
    ("given", "change"),
    [
        ({"flavor_update_policy": "REPLACE"}, {"flavor": LARGE}),
        ({"image_update_policy": "REPLACE"}, {"image": NEW}),
        ({}, {"image": None}),
        ({}, {"user_data": "#!"}),
    ],
)
def test_what_needs_another_server(given: dict[str, Any], change: dict[str, Any]) -> None:
    before = properties(**given)

    assert Server.needs_replacement(before, {**before, **change}, frozenset(change))


class TestNetworks:
    def test_interfaces_come_and_go(self) -> None:
        cloud = Nova().running()
        cloud.attach("p1", ONE)

        changed(a_server(cloud, networks=[{"network": ONE}]), networks=[{"network": TWO}, {"port": PORT}])

        assert [(one["port_id"], one["net_id"]) for one in cloud.interfaces] == [
            ("new-0", TWO),
            (PORT, ONE),
        ]

    def test_those_that_stay_are_left_alone(self) -> None:
        cloud = Nova().running()
        cloud.attach("p1", ONE)

        changed(a_server(cloud, networks=[{"network": ONE}]), networks=[{"network": TWO}, {"network": ONE}])

        assert [one["port_id"] for one in cloud.interfaces] == ["p1", "new-1"]

    def test_a_port_of_its_own_is_made_and_deleted(self) -> None:
        cloud = Nova().running()
        cloud.place(f"/subnets/{SUBNET}", network_id=ONE)
        context = a_server(cloud)
        changed(context, networks=[{"subnet": SUBNET}])
        [own] = [one["port_id"] for one in cloud.interfaces]
        context.properties = {**context.properties, "networks": [{"subnet": SUBNET}]}
        cloud.interfaces[0]["fixed_ips"] = [{"subnet_id": SUBNET}]

        changed(context, networks=[{"allocate_network": "none"}])

        assert cloud.interfaces == []
        assert f"/ports/{own}" not in cloud.objects

    def test_ports_that_an_interrupted_attempt_left_behind_go(self) -> None:
        cloud = Nova().running()
        cloud.attach("p1", ONE)
        context = a_server(cloud, networks=[{"network": ONE, "subnet": SUBNET}])
        context.data["internal_ports"] = '[{"id": "noted"}]'
        cloud.place("/ports/noted", name="some", device_id="")
        cloud.place("/ports/unnoted", name=f"{context.physical_name()}-port-0", device_id="")

        changed(context, networks=[{"port": PORT}])

        assert not {"/ports/noted", "/ports/unnoted"} & cloud.objects.keys()

    def test_what_can_be_changed_at_a_port_is_changed_there(self) -> None:
        cloud = Nova().running()
        cloud.attach("p1", ONE)
        cloud.place("/floatingips/f1")
        before = [{"network": ONE, "port_extra_properties": {"port_security_enabled": True}}]
        after = [
            {"network": ONE, "port_extra_properties": {"port_security_enabled": False}, "floating_ip": "f1"}
        ]
        context = a_server(cloud, networks=before)
        context.data["internal_ports"] = '[{"id": "p1"}]'

        changed(context, networks=after)

        assert cloud.body("PUT /ports/p1") == {"port": {"port_security_enabled": False}}
        assert cloud.objects["/floatingips/f1"]["port_id"] == "p1"
        assert [one["port_id"] for one in cloud.interfaces] == ["p1"]

    def test_half_way_only_the_rest_is_done(self) -> None:
        present = [interface("p1", ONE), interface("p2", TWO)]

        plan = plan_interfaces([{"network": ONE}], [{"network": ONE}, {"network": TWO}], present)

        assert (plan.detached, plan.attached) == ((), ())

    def test_without_networks_before_and_after_nothing_changes(self) -> None:
        plan = plan_interfaces(None, [], [interface("p1", ONE)])

        assert (plan.detached, plan.attached, plan.kept) == ((), (), ())


class TestInterfacesThatWillDo:
    @pytest.mark.parametrize("before", [{"network": ONE}, {"subnet": SUBNET}])
    @pytest.mark.parametrize(
        "after",
        [
            {"network": ONE},
            {"subnet": SUBNET},
            {"network": ONE, "subnet": SUBNET},
            {"network": ONE, "fixed_ip": "10.0.0.5"},
            {"port": "p1"},
        ],
    )
    def test_the_same_place_may_be_said_in_other_words(
        self, before: dict[str, str], after: dict[str, str]
    ) -> None:
        plan = plan_interfaces([before], [after], [interface("p1", ONE, "10.0.0.5")])

        assert (plan.detached, plan.attached, plan.kept) == ((), (), ((before, after, "p1"),))

    def test_each_finds_one_although_all_have_changed_places(self) -> None:
        present = [interface(f"p{last}", ONE, f"10.0.0.{last}") for last in (1, 2, 3)]
        before = [{"network": ONE}, {"network": ONE, "fixed_ip": "10.0.0.2"}, {"subnet": SUBNET}]
        after = [{"subnet": SUBNET}, {"network": ONE}, {"network": ONE, "subnet": SUBNET}]

        plan = plan_interfaces(before, after, present)

        assert (plan.detached, plan.attached) == ((), ())
        assert sorted(port for _, _, port in plan.kept) == ["p1", "p2", "p3"]

    def test_who_wants_an_address_gets_it_before_those_who_take_any(self) -> None:
        before, wanted = {"network": ONE}, {"network": ONE, "fixed_ip": "10.0.0.5"}

        plan = plan_interfaces([before], [before, wanted], [interface("p1", ONE, "10.0.0.5")])

        assert plan.kept == ((before, wanted, "p1"),)
        assert plan.attached == ((0, before),)

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ({"port": "p1"}, {"network": ONE}),
            ({"network": ONE, "tag": "blue"}, {"network": ONE, "tag": "red"}),
            ({"network": ONE, "port_extra_properties": {"no_fixed_ips": True}}, {"network": ONE}),
            ({"network": ONE, "fixed_ip": "10.0.0.5"}, {"network": ONE, "fixed_ip": "10.0.0.6"}),
        ],
        ids=["a named port may go", "another tag", "no address", "another address"],
    )
    def test_what_cannot_be_had_from_the_old_interface_takes_a_new_one(
        self, before: dict[str, Any], after: dict[str, Any]
    ) -> None:
        plan = plan_interfaces([before], [after], [interface("p1", ONE, "10.0.0.5")])

        assert (plan.detached, plan.attached) == (("p1",), ((0, after),))

    def test_without_networks_it_is_for_nova_to_choose(self) -> None:
        plan = plan_interfaces([{"network": ONE}], None, [interface("p1", ONE)])

        assert (plan.detached, plan.attached) == (("p1",), ((0, {}),))


class TestReplacing:
    def test_ports_of_the_template_are_given_to_the_server_that_comes(self) -> None:
        cloud = Nova().running()
        cloud.attach(PORT)
        cloud.attach("own")
        context = a_server(cloud, networks=[{"port": PORT}, {"network": ONE}])

        run(Server.before_replace(context))

        assert [one["port_id"] for one in cloud.interfaces] == ["own"]

    def test_and_taken_back_if_it_does_not_work_out(self) -> None:
        cloud = Nova().running()
        cloud.attach(PORT)
        context = a_server(cloud, networks=[{"port": PORT}])
        run(Server.before_replace(context))
        cloud.objects[f"/ports/{PORT}"]["device_id"] = "s2"
        cloud.responses[f"DELETE /servers/s2/os-interface/{PORT}"] = {}
        cloud.responses["GET /servers/s2/os-interface"] = {"interfaceAttachments": []}

        run(Server.revert_replace(context))

        assert f"DELETE /servers/s2/os-interface/{PORT}" in cloud.lines()
        assert [one["port_id"] for one in cloud.interfaces] == [PORT]

    def test_also_from_one_that_is_still_being_built(self) -> None:
        cloud, context = self.lent_to(status="BUILD")

        run(Server.revert_replace(context))

        assert cloud.lines().count(f"DELETE /servers/s2/os-interface/{PORT}") == 3
        assert [one["port_id"] for one in cloud.interfaces] == [PORT]

    def test_also_from_one_that_could_not_be_built(self) -> None:
        cloud, context = self.lent_to(status="ERROR")
        cloud.responses[f"PUT /ports/{PORT}"] = lambda request: {"port": request.body["port"]}

        run(Server.revert_replace(context))

        [taken] = [one for one in cloud.requests if (one.method, one.path) == ("PUT", f"/ports/{PORT}")]
        assert taken.body == {"port": {"device_id": "", "device_owner": ""}}
        assert [one["port_id"] for one in cloud.interfaces] == [PORT]

    def test_a_server_that_keeps_a_port_for_another_reason_is_reported(self) -> None:
        _, context = self.lent_to(status="SHELVED")

        with pytest.raises(Conflict):
            run(Server.revert_replace(context))

    @staticmethod
    def lent_to(status: str) -> tuple[Nova, FakeContext]:
        """A server whose port is with the one that was to replace it, which gives it away only when it runs."""
        cloud = Nova().running()
        cloud.attach(PORT)
        context = a_server(cloud, networks=[{"port": PORT}])
        run(Server.before_replace(context))
        cloud.place("/servers/s2", name="other", status=status)
        server = cloud.objects["/servers/s2"]
        cloud.objects[f"/ports/{PORT}"]["device_id"] = "s2"
        cloud.responses["GET /servers/s2/os-interface"] = {"interfaceAttachments": []}

        def detach(request: Request) -> dict[str, Any]:
            if server["status"] == "ACTIVE":
                return {}
            if server["status"] == "BUILD" and cloud.lines().count(f"GET {request.path[:11]}"):
                # It is seen to be building, and is done when it is asked for the third time.
                server["status"] = "ACTIVE"
            raise Conflict("Cannot detach an interface while building.")

        cloud.responses[f"DELETE /servers/s2/os-interface/{PORT}"] = detach
        return cloud, context


class TestRest:
    def test_it_is_suspended_and_resumed_with_its_user(self) -> None:
        context = a_server()
        cloud = context.services

        run(Server.suspend(context))
        assert cloud.objects["/servers/s1"]["status"] == "SUSPENDED"
        run(Server.resume(context))

        assert cloud.objects["/servers/s1"]["status"] == "ACTIVE"
        assert context.calls == [("enable_user", False), ("enable_user", True)]

    def test_one_that_rests_already_is_left_alone(self) -> None:
        cloud = Nova().running(status="SUSPENDED")

        run(Server.suspend(a_server(cloud)))

        assert cloud.acted() == []

    def test_one_that_is_gone_cannot_rest(self) -> None:
        with pytest.raises(ResourceFailed, match="gone"):
            run(Server.suspend(FakeContext(Server, properties(), physical_id="s1")))

    def test_checks_tell_what_is_wrong(self) -> None:
        run(Server.check(a_server()))
        with pytest.raises(ResourceFailed):
            run(Server.check(a_server(Nova().running(status="SHUTOFF"))))


class TestImages:
    def test_a_snapshot_is_an_image(self) -> None:
        context = a_server()

        assert run(Server.snapshot(context)) == {"snapshot_image_id": "i1"}

        assert context.services.objects["/images/i1"]["status"] == "active"

    def test_one_that_was_begun_before_is_waited_for(self) -> None:
        cloud = Nova().running()
        cloud.place("/images/i7", name="half-done", status="active")
        context = a_server(cloud)
        context.data["_imaging"] = "half-done"

        assert run(Server.snapshot(context)) == {"snapshot_image_id": "i7"}
        assert cloud.acted() == []

    def test_the_way_back_leads_over_the_image(self) -> None:
        assert Server.restored(properties(), {"snapshot_image_id": "i1"})["image"] == "i1"

    def test_a_server_can_be_kept_as_an_image_when_it_goes(self) -> None:
        context = a_server()

        run(Server.snapshot_delete(context))

        assert "/servers/s1" not in context.services.objects
        assert context.services.objects["/images/i1"]["status"] == "active"

    def test_an_image_that_cannot_be_made_keeps_the_server(self) -> None:
        context = a_server()
        context.services.next_status["queued"] = "killed"
        cloud = context.services

        def act(request: Request) -> dict[str, Any]:
            cloud.place("/images/i1", status="killed")
            return {"image_id": "i1"}

        cloud.responses["POST /servers/s1/action"] = act
        with pytest.raises(ResourceFailed, match="killed"):
            run(Server.snapshot_delete(context))

        assert "/servers/s1" in cloud.objects


def test_what_somebody_else_has_changed_is_seen() -> None:
    context = a_server(Nova().running(name="other", metadata={"a": "1"}, tags=["y", "x"]))
    context.properties |= {"name": "web", "metadata": {"a": 1}, "tags": ["x", "y"]}

    assert run(Server.live_state(context)) == {"name": "other", "metadata": {"a": 1}, "tags": ["x", "y"]}


def test_another_transport_for_the_agent() -> None:
    context = a_server(user_data_format="SOFTWARE_CONFIG")
    context.metadata = {"os-collect-config": {"cfn": {"a": "b"}, "collectors": ["cfn", "local"]}}

    changed(context, software_config_transport="POLL_SERVER_HEAT")

    settings = Server.attribute(context, "os_collect_config")
    assert settings["cfn"] is None
    assert settings["heat"]["resource_name"] == "thing"
