from collections.abc import Iterator

from calor.language.constraints import custom, one_of, range_
from calor.language.schema import Problem, Property, Resolve, supported
from calor.resources.values import Properties
from calor.types.magnum.base import MagnumType
from calor.types.rules import visible

VOLUME_DRIVERS = {"kubernetes": "cinder", "swarm": "rexray", "mesos": "rexray"}


class VolumeDriverOfEngine:
    def problems(self, given: Properties) -> Iterator[Problem]:
        engine, driver = visible(given.get("coe")), visible(given.get("volume_driver"))
        needed = VOLUME_DRIVERS.get(engine)
        if driver is not None and needed is not None and driver != needed:
            yield Problem("StackValidationFailed", f"{engine} supports only the volume_driver {needed}")


class ClusterTemplate(MagnumType):
    type_name = "OS::Magnum::ClusterTemplate"
    support = supported("9.0.0")
    properties = {
        "name": Property(str),
        "image": Property(str, required=True, constraints=[custom("glance.image")]),
        "flavor": Property(str, constraints=[custom("nova.flavor")]),
        "master_flavor": Property(str, constraints=[custom("nova.flavor")]),
        "keypair": Property(str, constraints=[custom("nova.keypair")]),
        "external_network": Property(str, required=True, constraints=[custom("neutron.network")]),
        "fixed_network": Property(str, constraints=[custom("neutron.network")]),
        "fixed_subnet": Property(str, constraints=[custom("neutron.subnet")]),
        "dns_nameserver": Property(str, constraints=[custom("ip_addr")]),
        "docker_volume_size": Property(int, constraints=[range_(min=1)]),
        "docker_storage_driver": Property(
            str, default="devicemapper", constraints=[one_of("devicemapper", "overlay")]
        ),
        "coe": Property(str, required=True, constraints=[one_of("kubernetes", "swarm", "mesos")]),
        "network_driver": Property(str),
        "volume_driver": Property(str, constraints=[one_of("cinder", "rexray")]),
        "http_proxy": Property(str),
        "https_proxy": Property(str),
        "no_proxy": Property(str),
        "labels": Property(dict),
        "tls_disabled": Property(bool, default=False),
        "public": Property(bool, default=False, update_allowed=True),
        "registry_enabled": Property(bool, default=False),
        "server_type": Property(str, default="vm", constraints=[one_of("vm", "bm")]),
        "master_lb_enabled": Property(bool, default=True),
        "floating_ip_enabled": Property(bool, default=True),
    }
    translations = [
        Resolve(("external_network",), "neutron.network"),
        Resolve(("fixed_network",), "neutron.network"),
        Resolve(("fixed_subnet",), "neutron.subnet"),
    ]
    rules = [VolumeDriverOfEngine()]
