"""Where the tools find and keep what they know."""

import os
from typing import NamedTuple


class Places(NamedTuple):
    root: str = "/"

    def path(self, path: str) -> str:
        return os.path.join(self.root, path.lstrip("/"))

    @property
    def initial_metadata(self) -> str:
        """What the server was created with."""
        return self.path("/var/lib/heat-cfntools/cfn-init-data")

    @property
    def last_metadata(self) -> str:
        """What was retrieved last. There is another file for each resource, whose name ends with the resource's."""
        return self.path("/var/cache/heat-cfntools/last_metadata")

    @property
    def server_metadata(self) -> str:
        """What the compute service has of the server."""
        return self.path("/var/lib/heat-cfntools/nova_meta.json")

    @property
    def server_url(self) -> str:
        return self.path("/var/lib/heat-cfntools/cfn-metadata-server")

    @property
    def boto_settings(self) -> str:
        return self.path("/var/lib/heat-cfntools/cfn-boto-cfg")

    @property
    def credentials(self) -> str:
        return self.path("/etc/cfn/cfn-credentials")

    @property
    def hup_settings(self) -> str:
        return self.path("/etc/cfn/cfn-hup.conf")

    @property
    def hooks(self) -> str:
        return self.path("/etc/cfn/hooks.conf")

    @property
    def hooks_folder(self) -> str:
        return self.path("/etc/cfn/hooks.d")

    def log(self, program: str) -> str:
        return self.path(f"/var/log/{program}.log")


THIS_SERVER = Places()
