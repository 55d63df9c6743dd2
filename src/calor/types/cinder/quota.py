from __future__ import annotations

from calor.language.constraints import custom, range_
from calor.language.schema import AtLeastOne, Property, Resolve, supported
from calor.resources.outcomes import ResourceFailed
from calor.resources.services import CloudServices
from calor.types.cinder.base import CinderType
from calor.types.cloud_objects import Object
from calor.types.quota_sets import PATH, QuotaSet


class Quota(QuotaSet, CinderType):
    type_name = "OS::Cinder::Quota"
    support = supported("7.0.0")
    extension = "os-quota-sets"
    api = "volume"
    properties = {
        "project": Property(str, required=True, constraints=[custom("keystone.project")]),
        "gigabytes": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "volumes": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
        "backups": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("16.0.0")
        ),
        "backup_gigabytes": Property(
            int, update_allowed=True, constraints=[range_(min=-1)], support=supported("16.0.0")
        ),
        "snapshots": Property(int, update_allowed=True, constraints=[range_(min=-1)]),
    }
    translations = [Resolve(("project",), "keystone.project")]
    rules = [AtLeastOne(tuple(name for name in properties if name != "project"))]

    @classmethod
    async def check_limits(cls, cloud: CloudServices, project: str, limits: Object) -> None:
        usage = (await cloud.request(cls.api, "GET", PATH, project, params={"usage": "True"}))["quota_set"]
        for name, limit in limits.items():
            used = (usage.get(name) or {}).get("in_use", 0)
            if limit != -1 and limit < used:
                raise ResourceFailed(f"{name} cannot be {limit}: {used} are in use", "ValueError")
