from collections.abc import Iterator

from calor.language.constraints import custom, one_of
from calor.language.schema import SHOW, AtLeastOne, Attribute, Problem, Property, Resolve, supported
from calor.resources.contract import ResourceType
from calor.resources.values import Properties
from calor.types.rules import AddressOfPort, Each, OneGiven, OnlyOneFilled, visible


class RestartPolicy:
    def problems(self, given: Properties) -> Iterator[Problem]:
        policy = visible(given.get("restart_policy"))
        if not isinstance(policy, str) or policy in ("", "no", "on-failure", "always", "unless-stopped"):
            return
        name, colon, retries = policy.partition(":")
        if name != "on-failure" or not colon or ":" in retries:
            yield Problem(
                "StackValidationFailed",
                "restart_policy must be no, always, unless-stopped, on-failure or on-failure:<retries>",
            )


class Container(ResourceType):
    type_name = "OS::Zun::Container"
    support = supported("9.0.0")
    service = "zun"
    properties = {
        "name": Property(str, update_allowed=True),
        "image": Property(str, required=True),
        "command": Property(str),
        "cpu": Property(float, update_allowed=True),
        "memory": Property(int, update_allowed=True),
        "environment": Property(dict),
        "workdir": Property(str),
        "labels": Property(dict),
        "image_pull_policy": Property(str, constraints=[one_of("ifnotpresent", "always", "never")]),
        "restart_policy": Property(str),
        "interactive": Property(bool),
        "tty": Property(bool, support=supported("14.0.0")),
        "image_driver": Property(str, constraints=[one_of("docker", "glance")]),
        "hints": Property(dict, support=supported("10.0.0")),
        "hostname": Property(str, support=supported("10.0.0")),
        "security_groups": Property(list, default=[], support=supported("10.0.0")),
        "mounts": Property(
            list,
            items=Property(
                dict,
                fields={
                    "volume_id": Property(str, constraints=[custom("cinder.volume")]),
                    "volume_size": Property(int),
                    "mount_path": Property(str, required=True),
                },
            ),
        ),
        "networks": Property(
            list,
            update_allowed=True,
            support=supported("11.0.0"),
            items=Property(
                dict,
                fields={
                    "network": Property(str, constraints=[custom("neutron.network")]),
                    "fixed_ip": Property(str, constraints=[custom("ip_addr")]),
                    "port": Property(str, constraints=[custom("neutron.port")]),
                },
            ),
        ),
    }
    attributes = {
        "name": Attribute(str),
        "addresses": Attribute(dict),
        "show": SHOW,
    }
    translations = [
        Resolve(("networks", "network"), "neutron.network"),
        Resolve(("networks", "port"), "neutron.port"),
    ]
    rules = [
        RestartPolicy(),
        Each("mounts", [OneGiven(("volume_id", "volume_size")), OnlyOneFilled(("volume_id", "volume_size"))]),
        Each("networks", [AtLeastOne(("network", "port")), AddressOfPort()]),
    ]
