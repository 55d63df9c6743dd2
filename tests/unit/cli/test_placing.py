"""Places in files that the service does not know."""

from __future__ import annotations

from calor.cli.placing import of_type
from calor.language.source import Source

GROUP = """\
resources:
  net:
    type: OS::Neutron::Net
  group:
    type: OS::Heat::ResourceGroup
    properties:
      resource_def:
        type: OS::Neutron::QoSPolicy
"""


def place(message: str) -> str:
    data = {
        "resources": {
            "net": {"type": "OS::Neutron::Net"},
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"resource_def": {"type": "OS::Neutron::QoSPolicy"}},
            },
        }
    }
    return str(of_type(message, {"file:///web.yaml": Source("web.yaml", GROUP, data)}))


def test_a_type_that_may_not_be_used_is_found_also_in_groups() -> None:
    assert place("You are not authorized to use OS::Neutron::QoSPolicy.") == "web.yaml:8:15"
    assert place("You are not authorized to use OS::Neutron::Net.") == "web.yaml:3:11"


def test_a_message_about_something_else_has_no_place() -> None:
    assert place("You are not authorized to use OS::Neutron::NetworkThing.") == "None"
    assert place("You are not authorized.") == "None"
