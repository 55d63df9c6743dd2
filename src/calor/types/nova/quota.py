from __future__ import annotations

from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, deprecated, supported
from calor.types.nova.base import NovaType
from calor.types.quota_sets import QuotaSet


class Quota(QuotaSet, NovaType):
    """How much of the compute service a project may use. For administrators only; -1 means without limit."""

    type_name = "OS::Nova::Quota"
    support = supported("8.0.0")
    api = "compute"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "cores": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "fixed_ips": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "floating_ips": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "instances": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "injected_files": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=deprecated("14.0.0")
        ),
        "injected_file_content_bytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=deprecated("14.0.0")
        ),
        "injected_file_path_bytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=deprecated("14.0.0")
        ),
        "key_pairs": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "metadata_items": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "ram": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_groups": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "security_group_rules": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "server_groups": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "server_group_members": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
    }
    translations = [Resolve(("project",), "keystone.project")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]
