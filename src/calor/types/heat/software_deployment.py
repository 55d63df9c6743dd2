from collections.abc import Iterator

from calor.language.schema import SHOW, Attribute, Peer, Peers, Problem, supported
from calor.types.base import SignalledType
from calor.types.heat.deployments import NAME, ONE_SERVER, SIGNAL_TRANSPORT


class SoftwareDeployment(SignalledType):
    """Applies a software configuration to a server and waits for the result.

    The server needs an agent, such as os-collect-config, that fetches the configuration and reports back. The
    outputs which the configuration declares can be read as attributes afterwards. The deployment fails when
    the reported exit code is not 0.
    """

    type_name = "OS::Heat::SoftwareDeployment"
    support = supported("2014.1")
    service = "heat"
    entity = "software_deployments"
    open_attributes = True
    properties = {
        **ONE_SERVER,
        "name": NAME,
        "signal_transport": SIGNAL_TRANSPORT,
    }
    attributes = {
        "deploy_stdout": Attribute(str, "What the configuration wrote to standard output on the server."),
        "deploy_stderr": Attribute(str, "What the configuration wrote to standard error on the server."),
        "deploy_status_code": Attribute(str, "The exit code that the server reported; 0 is success."),
        "show": SHOW,
    }

    @classmethod
    def peer_problems(cls, me: Peer, peers: Peers) -> Iterator[Problem]:
        """A server of the same template has to be prepared for software deployments."""
        server = peers.named(me.value("server"))
        if server is None or server.type_name not in ("OS::Nova::Server", "OS::Heat::DeployedServer"):
            return
        if server.type_name == "OS::Nova::Server" and server.value("user_data_format") != "SOFTWARE_CONFIG":
            message = f"its server `{server.name}` needs user_data_format: SOFTWARE_CONFIG"
            yield Problem("StackValidationFailed", message, ("server",))
