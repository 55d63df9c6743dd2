from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from calor.language.schema import SHOW, Attribute, Property, supported
from calor.types.base import NestedStackType
from calor.types.heat.common import BATCH
from calor.types.heat.deployments import MANY_SERVERS, NAME, SIGNAL_TRANSPORT
from calor.types.heat.groups import opened, template_of


class SoftwareDeploymentGroup(NestedStackType):
    """Applies one software configuration to several servers.

    Each server gets an OS::Heat::SoftwareDeployment of its own, with the same inputs. Beside the attributes
    declared here, any attribute of a deployment can be read, outputs of the configuration included: it gives
    a map by the servers' names.
    """

    type_name = "OS::Heat::SoftwareDeploymentGroup"
    support = supported("5.0.0")
    member_type: ClassVar[str] = "OS::Heat::SoftwareDeployment"
    properties = {
        **MANY_SERVERS,
        "name": NAME,
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes = {
        "deploy_stdouts": Attribute(dict, "What each server wrote to standard output, by the server's name."),
        "deploy_stderrs": Attribute(dict, "What each server wrote to standard error, by the server's name."),
        "deploy_status_codes": Attribute(
            dict, "The exit code that each server reported, by the server's name; 0 is success."
        ),
        "show": SHOW,
    }
    update_policy = {
        "rolling_update": Property(
            dict,
            "Updates the deployments in batches. Left out, all are updated at once.",
            support=supported("7.0.0"),
            fields=BATCH,
        ),
        "batch_create": Property(
            dict,
            "Creates the deployments in batches. Left out, all are created at once.",
            support=supported("7.0.0"),
            fields=BATCH,
        ),
    }

    @classmethod
    def child_template(cls, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """One member stands for all: the others differ from it in the server alone."""
        servers = opened(given["servers"])
        if not isinstance(servers, dict):
            return None
        shared = {name: value for name, value in given.items() if name != "servers"}
        return template_of(
            {
                name: {"type": cls.member_type, "properties": {**shared, "server": server}}
                for name, server in list(servers.items())[:1]
            }
        )
