"""Measures what Calor adds to the calls to a genuine OpenStack: a stack of ten types, from a network to an attached
volume, in turn with the same objects created by a script.

    python benchmarks/genuine.py [--rounds 10] [--region Calor] [--servers 20]

OS_* name the user, and Calor runs in the region (`tests/conformance/genuine.py --serve-only` does both). The script has
a token, knows all ids, and creates in parallel whatever does not depend on each other: no order takes less time. The
other script creates one object after the other. Times are in seconds, from the first request to the moment at which the
user sees that all is complete.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from keystoneauth1.exceptions import NotFound
from keystoneauth1.identity.v3 import Password
from keystoneauth1.session import Session

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {"image": {"type": "string"}, "flavor": {"type": "string"}, "name": {"type": "string"}},
    "resources": {
        "network": {"type": "OS::Neutron::Net"},
        "subnet": {
            "type": "OS::Neutron::Subnet",
            "properties": {"network": {"get_resource": "network"}, "cidr": "10.7.0.0/24"},
        },
        "router": {"type": "OS::Neutron::Router"},
        "interface": {
            "type": "OS::Neutron::RouterInterface",
            "properties": {"router": {"get_resource": "router"}, "subnet": {"get_resource": "subnet"}},
        },
        "group": {
            "type": "OS::Neutron::SecurityGroup",
            "properties": {"rules": [{"protocol": "tcp", "port_range_min": 22, "port_range_max": 22}]},
        },
        "port": {
            "type": "OS::Neutron::Port",
            "properties": {
                "network": {"get_resource": "network"},
                "fixed_ips": [{"subnet": {"get_resource": "subnet"}}],
                "security_groups": [{"get_resource": "group"}],
            },
        },
        "key": {"type": "OS::Nova::KeyPair", "properties": {"name": {"get_param": "name"}}},
        "server": {
            "type": "OS::Nova::Server",
            "properties": {
                "image": {"get_param": "image"},
                "flavor": {"get_param": "flavor"},
                "key_name": {"get_resource": "key"},
                "networks": [{"port": {"get_resource": "port"}}],
            },
        },
        "volume": {"type": "OS::Cinder::Volume", "properties": {"size": 1}},
        "attachment": {
            "type": "OS::Cinder::VolumeAttachment",
            "properties": {
                "instance_uuid": {"get_resource": "server"},
                "volume_id": {"get_resource": "volume"},
            },
        },
    },
}
SERVERS: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {
        "image": {"type": "string"},
        "flavor": {"type": "string"},
        "name": {"type": "string"},
        "network": {"type": "string"},
        "count": {"type": "number"},
    },
    "resources": {
        "servers": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {
                "count": {"get_param": "count"},
                "resource_def": {
                    "type": "OS::Nova::Server",
                    "properties": {
                        "image": {"get_param": "image"},
                        "flavor": {"get_param": "flavor"},
                        "networks": [{"network": {"get_param": "network"}}],
                    },
                },
            },
        }
    },
}
PATIENCE = 300.0
COMPUTE = {"OpenStack-API-Version": "compute 2.26"}


class Cloud:
    """The services of a region, with one token."""

    def __init__(self, options: argparse.Namespace) -> None:
        known = {name: os.environ[f"OS_{name.upper()}"] for name in ("username", "password", "project_name")}
        domains = {
            name: os.environ.get(f"OS_{name.upper()}", "default")
            for name in ("user_domain_id", "project_domain_id")
        }
        auth = Password(os.environ["OS_AUTH_URL"], **known, **domains)
        self._session = Session(auth)
        self._region = options.region
        self.pause = options.pause
        services = ("orchestration", "compute", "network", "image", "volumev3")
        self._addresses = {service: self._address(service) for service in services}
        self._addresses["network"] += "/v2.0"
        self._addresses["image"] += "/v2"
        self.image = self._id("image", "images", options.image)
        self.flavor = self._id("compute", "flavors", options.flavor)

    def _address(self, service: str) -> str:
        found = self._session.get_endpoint(
            service_type=service, region_name=self._region, interface="public", skip_discovery=True
        )
        if not found:
            raise SystemExit(f"the region {self._region} has no {service} service")
        return found.rstrip("/")

    def _id(self, service: str, collection: str, name: str) -> str:
        listed = self.ask(service, "GET", f"/{collection}")[collection]
        return str(next(each["id"] for each in listed if each["name"] == name))

    def ask(self, service: str, method: str, path: str, body: Any = None) -> Any:
        headers = COMPUTE if service == "compute" else {}
        answer = self._session.request(self._addresses[service] + path, method, json=body, headers=headers)
        return answer.json() if answer.content else None

    def make(self, service: str, path: str, wrapper: str, body: Any) -> Any:
        return self.ask(service, "POST", path, {wrapper: body})[wrapper]

    def wait(self, service: str, path: str, wrapper: str, status: str, member: str = "status") -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            shown = self.ask(service, "GET", path)[wrapper]
            if shown[member] == status:
                return
            if "ERROR" in shown[member].upper() or "FAILED" in shown[member]:
                raise RuntimeError(f"{path}: {shown}")
            time.sleep(self.pause)
        raise RuntimeError(f"{path} takes too long")

    def remove(self, service: str, path: str) -> None:
        """Deletes an object and waits until it is gone."""
        with contextlib.suppress(NotFound):
            self.ask(service, "DELETE", path)
            while True:
                self.ask(service, "GET", path)
                time.sleep(self.pause)


class OneByOne:
    """An executor that carries out at once what it is given."""

    def submit(self, work: Callable[..., Any], *args: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(work(*args))
        return done


class Script:
    """Creates and deletes the objects of `TEMPLATE`."""

    def __init__(self, cloud: Cloud, pool: ThreadPoolExecutor | OneByOne) -> None:
        self._cloud = cloud
        self._pool = pool

    def create(self, name: str) -> Callable[[], None]:
        """Returns what deletes the objects."""
        cloud, start = self._cloud, self._pool.submit
        network = start(self._network, name)
        volume = start(self._volume, name)
        router = start(self._router, name)
        group = start(self._group, name)
        key = start(cloud.make, "compute", "/os-keypairs", "keypair", {"name": name})
        subnet = start(self._subnet, name, network)
        interface = start(self._interface, router, subnet)
        port = start(self._port, name, network, subnet, group)
        server = start(self._server, name, port, key)
        start(self._attach, server, volume).result()
        interface.result()

        def delete() -> None:
            cloud.remove("compute", f"/servers/{server.result()}")
            cloud.wait("volumev3", f"/volumes/{volume.result()}", "volume", "available")
            cloud.remove("volumev3", f"/volumes/{volume.result()}")
            cloud.remove("compute", f"/os-keypairs/{name}")
            cloud.remove("network", f"/ports/{port.result()}")
            cloud.ask("network", "PUT", *interface.result())
            cloud.remove("network", f"/routers/{router.result()}")
            cloud.remove("network", f"/networks/{network.result()}")
            cloud.remove("network", f"/security-groups/{group.result()}")

        return delete

    def _network(self, name: str) -> str:
        return str(self._cloud.make("network", "/networks", "network", {"name": name})["id"])

    def _subnet(self, name: str, network: Future[str]) -> str:
        body = {"name": name, "network_id": network.result(), "ip_version": 4, "cidr": "10.7.0.0/24"}
        return str(self._cloud.make("network", "/subnets", "subnet", body)["id"])

    def _router(self, name: str) -> str:
        return str(self._cloud.make("network", "/routers", "router", {"name": name})["id"])

    def _interface(self, router: Future[str], subnet: Future[str]) -> tuple[str, Any]:
        """Returns the path and the body of the request that removes it."""
        path, body = f"/routers/{router.result()}", {"subnet_id": subnet.result()}
        self._cloud.ask("network", "PUT", f"{path}/add_router_interface", body)
        return f"{path}/remove_router_interface", body

    def _group(self, name: str) -> str:
        id = str(self._cloud.make("network", "/security-groups", "security_group", {"name": name})["id"])
        rule = {
            "security_group_id": id,
            "direction": "ingress",
            "ethertype": "IPv4",
            "protocol": "tcp",
            "port_range_min": 22,
            "port_range_max": 22,
        }
        self._cloud.make("network", "/security-group-rules", "security_group_rule", rule)
        return id

    def _port(self, name: str, network: Future[str], subnet: Future[str], group: Future[str]) -> str:
        body = {
            "name": name,
            "network_id": network.result(),
            "fixed_ips": [{"subnet_id": subnet.result()}],
            "security_groups": [group.result()],
        }
        return str(self._cloud.make("network", "/ports", "port", body)["id"])

    def _server(self, name: str, port: Future[str], key: Future[Any]) -> str:
        body = {
            "name": name,
            "imageRef": self._cloud.image,
            "flavorRef": self._cloud.flavor,
            "key_name": key.result()["name"],
            "networks": [{"port": port.result()}],
        }
        id = str(self._cloud.make("compute", "/servers", "server", body)["id"])
        self._cloud.wait("compute", f"/servers/{id}", "server", "ACTIVE")
        return id

    def _volume(self, name: str) -> str:
        id = str(self._cloud.make("volumev3", "/volumes", "volume", {"name": name, "size": 1})["id"])
        self._cloud.wait("volumev3", f"/volumes/{id}", "volume", "available")
        return id

    def _attach(self, server: Future[str], volume: Future[str]) -> None:
        path, body = f"/servers/{server.result()}/os-volume_attachments", {"volumeId": volume.result()}
        self._cloud.make("compute", path, "volumeAttachment", body)
        self._cloud.wait("volumev3", f"/volumes/{volume.result()}", "volume", "in-use")


class Servers:
    """Creates and deletes the servers of `SERVERS`, all at once."""

    def __init__(self, cloud: Cloud, pool: ThreadPoolExecutor, count: int, network: str) -> None:
        self._cloud = cloud
        self._pool = pool
        self._count = count
        self._network = network

    def create(self, name: str) -> Callable[[], None]:
        made = list(self._pool.map(self._server, [f"{name}-{number}" for number in range(self._count)]))
        left = set(made)
        while left:
            time.sleep(self._cloud.pause)
            listed = self._cloud.ask("compute", "GET", "/servers/detail")["servers"]
            left -= {each["id"] for each in listed if each["status"] == "ACTIVE"}

        def delete() -> None:
            remove = self._cloud.remove
            list(self._pool.map(lambda id: remove("compute", f"/servers/{id}"), made))

        return delete

    def _server(self, name: str) -> str:
        body = {
            "name": name,
            "imageRef": self._cloud.image,
            "flavorRef": self._cloud.flavor,
            "networks": [{"uuid": self._network}],
        }
        return str(self._cloud.make("compute", "/servers", "server", body)["id"])


class Stack:
    def __init__(self, cloud: Cloud, template: Any, parameters: dict[str, Any]) -> None:
        self._cloud = cloud
        self._template = template
        self._parameters = parameters

    def create(self, name: str) -> Callable[[], None]:
        body = {
            "stack_name": name,
            "template": self._template,
            "parameters": {**self._parameters, "name": name},
        }
        id = self._cloud.ask("orchestration", "POST", "/stacks", body)["stack"]["id"]
        path = f"/stacks/{name}/{id}"
        self._wait(path, "CREATE_COMPLETE")

        def delete() -> None:
            self._cloud.ask("orchestration", "DELETE", path)
            self._wait(path, "DELETE_COMPLETE")

        return delete

    def _wait(self, path: str, status: str) -> None:
        self._cloud.wait("orchestration", f"{path}?resolve_outputs=false", "stack", status, "stack_status")


def timed(created_by: Any) -> float:
    name = f"bench-{uuid.uuid4().hex[:12]}"
    began = time.perf_counter()
    delete = created_by.create(name)
    took = time.perf_counter() - began
    delete()
    return took


def compare(rounds: int, ways: dict[str, Any]) -> None:
    """Times the ways in turn, in a rotating order; prints the medians. The first round is a rehearsal: services
    connect to their databases, caches fill."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    names = list(ways)
    for number in range(rounds + 1):
        took = {name: timed(ways[name]) for name in names}
        names = names[1:] + names[:1]
        print("rehearsal" if number == 0 else f"{number:9}", end="")
        print("".join(f"   {name} {took[name]:6.2f}" for name in ways), flush=True)
        for name in names if number else ():
            times[name].append(took[name])
    medians = {name: statistics.median(each) for name, each in times.items()}
    calor = next(iter(ways))
    print("   median" + "".join(f"   {name} {median:6.2f}" for name, median in medians.items()))
    for name in list(ways)[1:]:
        pairs = statistics.median(a / b for a, b in zip(times[calor], times[name], strict=True))
        print(f"{calor} / {name}: {medians[calor] / medians[name]:.2f} (median of the rounds: {pairs:.2f})")


@contextlib.contextmanager
def subnet(cloud: Cloud) -> Iterator[str]:
    """A network with a subnet."""
    network = str(cloud.make("network", "/networks", "network", {"name": "bench"})["id"])
    body = {"network_id": network, "ip_version": 4, "cidr": "10.8.0.0/22"}
    cloud.make("network", "/subnets", "subnet", body)
    try:
        yield network
    finally:
        cloud.remove("network", f"/networks/{network}")


def main() -> None:
    options = parser().parse_args()
    cloud = Cloud(options)
    given = {"image": options.image, "flavor": options.flavor}
    with ThreadPoolExecutor(20) as pool:
        ways = {
            "stack": Stack(cloud, TEMPLATE, given),
            "in parallel": Script(cloud, pool),
            "one by one": Script(cloud, OneByOne()),
        }
        compare(options.rounds, ways)
        if options.servers:
            with subnet(cloud) as network:
                print(f"{options.servers} servers")
                given = {**given, "network": network, "count": options.servers}
                of_servers = {
                    "stack": Stack(cloud, SERVERS, given),
                    "in parallel": Servers(cloud, pool, options.servers, network),
                }
                compare(options.rounds, of_servers)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    made.add_argument("--rounds", type=int, default=10, help="how often (%(default)s)")
    made.add_argument("--region", default="Calor", help="the region with Calor (%(default)s)")
    made.add_argument("--image", default="cirros", help="its name (%(default)s)")
    made.add_argument("--flavor", default="m1.nano", help="its name (%(default)s)")
    made.add_argument(
        "--servers", type=int, default=0, help="also compare a group of as many servers (%(default)s)"
    )
    made.add_argument(
        "--pause", type=float, default=0.05, help="seconds between two looks at an object (%(default)s)"
    )
    return made


if __name__ == "__main__":
    main()
