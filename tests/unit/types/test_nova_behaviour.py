"""Nova's smaller types at work."""

from __future__ import annotations

from typing import Any

from calor.clouds.errors import NotFound, Permanent
from calor.resources.contract import ResourceType
from calor.testing import FakeCloud, FakeContext, Request, properties_of, run
from calor.types.heat.software.deployed_server import DeployedServer
from calor.types.nova.flavor import Flavor
from calor.types.nova.floating_ip import FloatingIP
from calor.types.nova.floating_ip_association import FloatingIPAssociation
from calor.types.nova.host_aggregate import HostAggregate
from calor.types.nova.key_pair import KeyPair
from calor.types.nova.quota import Quota
from calor.types.nova.server_group import ServerGroup

PROJECT = "0d6f4bbe-7d4c-4c3e-9c35-111111111111"


def made(kind: Any, cloud: FakeCloud | None = None, **given: Any) -> FakeContext:
    props = properties_of(kind, **given)
    context = FakeContext(kind, props, services=cloud or FakeCloud())
    run(kind.create(context, props))
    return context


def changed(kind: Any, context: FakeContext, **given: Any) -> None:
    context.action = "UPDATE"
    run(kind.update(context, {**context.properties, **given}, frozenset(given)))


class TestKeyPairs:
    def test_a_key_is_registered_under_its_name(self) -> None:
        cloud = FakeCloud()
        cloud.responses["POST /os-keypairs"] = {"keypair": {"name": "key", "public_key": "ssh-rsa AAAA"}}

        context = made(KeyPair, cloud, name="key", public_key="ssh-rsa AAAA", type="ssh")

        assert cloud.body("POST /os-keypairs")["keypair"] == {
            "name": "key",
            "public_key": "ssh-rsa AAAA",
            "type": "ssh",
        }
        assert context.physical_id == "key"
        assert KeyPair.attribute(context, "public_key") == "ssh-rsa AAAA"
        assert KeyPair.attribute(context, "private_key") == ""

    def generated(self, **given: Any) -> FakeContext:
        cloud = FakeCloud()
        pair = {"name": "key", "public_key": "ssh-rsa AAAA", "private_key": "PRIVATE"}
        cloud.responses["POST /os-keypairs"] = {"keypair": pair}
        return made(KeyPair, cloud, name="key", **given)

    def test_a_private_key_is_kept_only_if_that_is_wanted(self) -> None:
        kept, dropped = self.generated(save_private_key=True), self.generated()

        assert KeyPair.attribute(kept, "private_key") == "PRIVATE"
        assert KeyPair.attribute(dropped, "private_key") == ""
        assert "PRIVATE" not in str(dropped.data)

    def test_for_somebody_else(self) -> None:
        cloud = FakeCloud(ids={("keystone.user", "eve"): PROJECT})
        pair = {"keypair": {"name": "key", "public_key": "ssh-rsa AAAA"}}
        cloud.responses |= {
            "POST /os-keypairs": pair,
            "GET /os-keypairs/key": pair,
            "DELETE /os-keypairs/key": {},
        }
        context = made(KeyPair, cloud, name="key", user="eve")

        assert run(KeyPair.live_state(context)) == {}
        assert cloud.requests[-1].params == {"user_id": PROJECT}
        run(KeyPair.delete(context))

        assert cloud.body("POST /os-keypairs")["keypair"]["user_id"] == PROJECT
        assert [one.params for one in cloud.requests if one.method == "DELETE"] == [{"user_id": PROJECT}]

    def test_a_pair_whose_private_half_is_lost_is_recreated(self) -> None:
        cloud = FakeCloud()
        cloud.responses["GET /os-keypairs/key"] = {"keypair": {"name": "key", "public_key": "ssh-rsa AAAA"}}
        context = FakeContext(KeyPair, properties_of(KeyPair, name="key"), services=cloud)
        cloud.responses["DELETE /os-keypairs/key"] = {}

        assert not run(KeyPair.find(context))

        assert "DELETE /os-keypairs/key" in cloud.lines()

    def test_one_that_was_there_before_is_left_alone(self) -> None:
        cloud = FakeCloud()
        old = {"name": "key", "public_key": "ssh-rsa AAAA", "created_at": "1970-01-02T00:00:00"}
        cloud.responses["GET /os-keypairs/key"] = {"keypair": old}
        context = FakeContext(KeyPair, properties_of(KeyPair, name="key"), services=cloud)

        assert not run(KeyPair.find(context))

        assert "DELETE /os-keypairs/key" not in cloud.lines()

    def registered(self) -> tuple[FakeCloud, FakeContext]:
        """A cloud that knows keys by their names."""
        cloud = FakeCloud()

        def register(request: Request) -> dict[str, Any]:
            given = request.body["keypair"]
            cloud.place(f"/os-keypairs/{given['name']}", **given)
            return {"keypair": given}

        cloud.responses["POST /os-keypairs"] = register
        cloud.responses["GET /os-keypairs/key"] = lambda request: (
            {"keypair": cloud.objects["/os-keypairs/key"]}
            if "/os-keypairs/key" in cloud.objects
            else NotFound("gone", status=404)
        )
        return cloud, made(KeyPair, cloud, name="key", public_key="ssh-rsa OLD")

    def test_it_makes_way_for_the_one_that_replaces_it(self) -> None:
        cloud, context = self.registered()

        run(KeyPair.before_replace(context))
        assert cloud.objects == {}
        made(KeyPair, cloud, name="key", public_key="ssh-rsa NEW")
        run(KeyPair.delete(context))

        assert cloud.objects["/os-keypairs/key"]["public_key"] == "ssh-rsa NEW"

    def test_and_comes_back_if_that_does_not_work_out(self) -> None:
        cloud, context = self.registered()
        run(KeyPair.before_replace(context))
        following = made(KeyPair, cloud, name="key", public_key="ssh-rsa NEW")

        run(KeyPair.revert_replace(context))
        run(KeyPair.delete(following))

        assert cloud.objects["/os-keypairs/key"]["public_key"] == "ssh-rsa OLD"


class TestFlavors:
    def a_cloud(self) -> FakeCloud:
        cloud = FakeCloud(ids={("keystone.project", "demo"): PROJECT})
        cloud.responses["GET /flavors/flavors-1/os-extra_specs"] = {"extra_specs": {"old": "1"}}
        cloud.responses["GET /flavors/flavors-1/os-flavor-access"] = {
            "flavor_access": [{"tenant_id": "other"}]
        }
        cloud.responses["DELETE /flavors/flavors-1/os-extra_specs/old"] = {}
        return cloud

    def test_a_flavor_with_its_specs_and_projects(self) -> None:
        cloud = self.a_cloud()

        context = made(
            Flavor,
            cloud,
            ram=512,
            vcpus=1,
            disk=1,
            extra_specs={"hw:x": 3},
            is_public=False,
            tenants=["demo"],
        )

        assert cloud.body("POST /flavors")["flavor"] == {
            "name": context.physical_name(),
            "ram": 512,
            "vcpus": 1,
            "disk": 1,
            "swap": 0,
            "OS-FLV-EXT-DATA:ephemeral": 0,
            "rxtx_factor": 1.0,
            "os-flavor-access:is_public": False,
        }
        assert cloud.body("POST /flavors/flavors-1/os-extra_specs") == {"extra_specs": {"hw:x": "3"}}
        admitted = [one.body for one in cloud.requests if one.path.endswith("/action")]
        assert admitted == [
            {"addTenantAccess": {"tenant": PROJECT}},
            {"removeTenantAccess": {"tenant": "other"}},
        ]
        assert Flavor.attribute(context, "is_public") is False

    def test_specs_that_are_not_wanted_any_more_go(self) -> None:
        cloud = self.a_cloud()
        context = made(Flavor, cloud, ram=1, vcpus=1)

        changed(Flavor, context, extra_specs={"new": "2"})

        assert "DELETE /flavors/flavors-1/os-extra_specs/old" in cloud.lines()
        assert cloud.body("POST /flavors/flavors-1/os-extra_specs") == {"extra_specs": {"new": "2"}}
        assert "PUT /flavors/flavors-1" not in cloud.lines()


def test_a_group_of_servers_has_one_policy() -> None:
    context = made(ServerGroup, policies=["anti-affinity"], rules={"max_server_per_host": 2.0})

    assert context.services.body("POST /os-server-groups")["server_group"] == {
        "name": context.physical_name(),
        "policy": "anti-affinity",
        "rules": {"max_server_per_host": 2},
    }


def test_an_aggregate_has_exactly_its_hosts() -> None:
    cloud = FakeCloud()
    context = made(HostAggregate, cloud, name="fast", hosts=["one", "two"], metadata={"ssd": True})

    def actions() -> list[Any]:
        return [one.body for one in cloud.requests if one.path.endswith("/action")]

    assert actions() == [
        {"add_host": {"host": "one"}},
        {"add_host": {"host": "two"}},
        {"set_metadata": {"metadata": {"ssd": "True"}}},
    ]
    [path] = cloud.objects
    cloud.objects[path] |= {"hosts": ["one", "two"], "metadata": {"ssd": "True", "availability_zone": "z"}}
    del cloud.requests[:]
    changed(HostAggregate, context, hosts=["two"], metadata={}, name="slow")
    assert cloud.body(f"PUT {path}") == {"aggregate": {"name": "slow"}}
    assert actions() == [
        {"remove_host": {"host": "one"}},
        {"set_metadata": {"metadata": {"ssd": None}}},
    ]
    cloud.objects[path]["hosts"] = ["two"]
    run(HostAggregate.delete(context))
    assert {"remove_host": {"host": "two"}} in actions()
    assert cloud.objects == {}


def test_quotas_are_set_and_set_back() -> None:
    context = made(Quota, project=PROJECT, cores=5, ram=-1)

    assert context.services.body(f"PUT /os-quota-sets/{PROJECT}") == {"quota_set": {"cores": 5, "ram": -1}}
    context.services.responses[f"DELETE /os-quota-sets/{PROJECT}"] = {}
    run(Quota.delete(context))
    assert context.services.lines()[-1] == f"DELETE /os-quota-sets/{PROJECT}"


def test_quotas_of_a_project_that_is_gone_are_gone() -> None:
    context = made(Quota, FakeCloud(ids={("keystone.project", "web"): PROJECT}), project="web", cores=5)
    context.services.ids.clear()
    context.services.requests.clear()

    run(Quota.delete(context))

    assert context.services.lines() == []


class TestFloatingAddresses:
    def test_they_come_from_the_network_of_the_pool(self) -> None:
        context = made(FloatingIP, FakeCloud(ids={("neutron.network", "public"): "net"}), pool="public")

        assert context.services.body("POST /floatingips") == {"floatingip": {"floating_network_id": "net"}}
        context.data["_shown"]["floating_ip_address"] = "203.0.113.5"
        assert FloatingIP.attribute(context, "ip") == "203.0.113.5"
        assert FloatingIP.attribute(context, "pool") == "public"

    def test_without_a_pool_from_an_external_network(self) -> None:
        cloud = FakeCloud()
        cloud.place("/networks/inner", **{"router:external": False})
        cloud.place("/networks/outer", **{"router:external": True})

        context = made(FloatingIP, cloud)

        assert context.services.body("POST /floatingips") == {"floatingip": {"floating_network_id": "outer"}}

    def test_a_server_gets_one_at_a_port_that_can_be_reached(self) -> None:
        cloud = FakeCloud(ids={("nova.server", "s1"): "s1"})
        cloud.place("/floatingips/f1")
        cloud.responses["GET /servers/s1/os-interface"] = {
            "interfaceAttachments": [{"port_id": "lonely"}, {"port_id": "p2"}]
        }
        refusing = [Permanent("it has no address", status=400)]
        cloud.responses["PUT /floatingips/f1"] = refusing

        context = made(FloatingIPAssociation, cloud, server_id="s1", floating_ip="f1")

        assert cloud.objects["/floatingips/f1"]["port_id"] == "p2"
        run(FloatingIPAssociation.delete(context))
        assert cloud.objects["/floatingips/f1"]["port_id"] is None


class TestDeployedServers:
    def test_agents_find_their_way(self) -> None:
        context = made(DeployedServer)

        settings = DeployedServer.attribute(context, "os_collect_config")
        assert settings["collectors"] == ["ec2", "cfn", "local"]
        assert context.physical_id == context.id
        assert DeployedServer.attribute(context, "name") == context.physical_name()

    def test_another_transport_empties_what_was_set_before(self) -> None:
        context = made(DeployedServer)

        changed(
            DeployedServer,
            context,
            software_config_transport="POLL_TEMP_URL",
            deployment_swift_data={"container": "c", "object": "o"},
        )

        settings = DeployedServer.attribute(context, "os_collect_config")
        assert settings["collectors"] == ["ec2", "request", "local"]
        assert settings["cfn"] is None
        assert settings["request"] == {"metadata_url": "https://swift/c/o"}


def test_every_type_of_nova_can_be_made() -> None:
    from calor.types import catalogue

    kinds = [name for name in catalogue.names() if name.startswith("OS::Nova::")]
    assert len(kinds) == 8
    for name in kinds:
        kind: type[ResourceType] | None = catalogue.declaration(name)
        assert kind.create is not None, name
        assert kind.delete is not None, name
