from __future__ import annotations

import yaml

from calor.language.schema import Property, supported
from calor.resources.values import JsonObject, Properties
from calor.types.heat.software.config_base import UNGROUPED, ConfigType


class CloudConfig(ConfigType):
    """A cloud-config document for cloud-init, written as a map of the template.

    Use it as the user_data of a server or as a part of an OS::Heat::MultipartMime. Functions inside are
    resolved first, so values of other resources can go in. cloud-init reads it at first boot only: a change
    replaces the servers that use it.
    """

    type_name = "OS::Heat::CloudConfig"
    support = supported("2014.1")
    properties = {
        "cloud_config": Property(
            dict, "The document. It is stored as YAML, with the first line that identifies it for cloud-init."
        ),
    }

    @classmethod
    def content(cls, props: Properties) -> JsonObject:
        document = yaml.safe_dump(props["cloud_config"] or {}, sort_keys=False, allow_unicode=True)
        return {"group": UNGROUPED, "config": f"#cloud-config\n{document}"}
