"""`calor serve` as a configuration file has it."""

from __future__ import annotations

import base64
import json
import socket
import sqlite3
import ssl
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from oslo_config import cfg

from calor.clouds.connection_options import ServiceOptions
from calor.config.loading import load
from calor.config.translating import settings_of
from calor.localcloud.config import HostService
from calor.server import access, programs
from calor.server.secrets import Secrets
from calor.server.seeding import cloud_config
from calor.server.settings import Settings
from calor.store.cipher import Cipher
from tests.support.server import PATIENCE, Server, free_port

pytestmark = pytest.mark.extended

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {"one": {"type": "OS::Heat::RandomString"}, "two": {"type": "OS::Heat::RandomString"}},
}
Start = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers with the text of a configuration file, in which CLOUD_PORT is replaced, and stops them in the
    end."""
    started: list[Server] = []

    def start(text: str, **environment: str) -> Server:
        folder = tmp_path / f"server{len(started)}"
        folder.mkdir()
        file = tmp_path / "heat.conf"
        port = free_port()
        file.write_text(text.replace("CLOUD_PORT", str(port + 2)))
        started.append(Server(folder, port, file, **environment))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def settled(api: httpx.Client, path: str) -> Any:
    """The stack when its action has ended."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        stack = api.get(path).json()["stack"]
        if not stack["stack_status"].endswith("IN_PROGRESS"):
            return stack
        time.sleep(0.05)
    raise AssertionError("the stack is still under way")


def create(api: httpx.Client, name: str, template: Any = TEMPLATE, **more: Any) -> httpx.Response:
    return api.post("/stacks", json={"stack_name": name, "template": template, **more})


class TestWhoIsLetIn:
    def test_standalone_is_by_name_and_password(self, start: Start) -> None:
        server = start("[paste_deploy]\nflavor = standalone\n")
        server.ready()
        known = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor"]["auth"]
        api = server.client(**{"X-Auth-User": known["username"], "X-Auth-Key": known["password"]})

        made = create(api, "s")

        assert made.status_code == 201, made.text
        assert settled(api, f"/stacks/s/{made.json()['stack']['id']}")["stack_status"] == "CREATE_COMPLETE"
        assert api.get("/stacks", headers={"X-Auth-Key": "wrong"}).status_code == 401
        token = server.token()[0]
        assert server.client(**{"X-Auth-Token": token}).get("/stacks").status_code == 401

    def test_a_header_may_name_one_of_several_clouds(self, start: Start) -> None:
        url = "http://127.0.0.1:CLOUD_PORT/identity"
        server = start(
            f"[auth_password]\nmulti_cloud = true\nallowed_auth_uris = http://other.example,{url}\n"
        )
        server.ready()
        token = server.token()[0]
        api = server.client(**{"X-Auth-Token": token})
        own = url.replace("CLOUD_PORT", str(server.port + 2))

        assert api.get("/stacks", headers={"X-Auth-Url": own}).status_code == 200
        assert api.get("/stacks", headers={"X-Auth-Url": "http://evil.example"}).status_code == 401
        assert api.get("/stacks").status_code == 400

    def test_a_plug_in_may_decide(self, start: Start, tmp_path: Path) -> None:
        plug_in(tmp_path / "lib")
        text = "[paste_deploy]\nflavor = custombackend\n[custombackend]\nword = sesame\n"
        server = start(text, PYTHONPATH=on_path(tmp_path / "lib"))
        server.ready()
        api = httpx.Client(base_url=f"http://127.0.0.1:{server.port}/v1/hers", headers={"X-Word": "sesame"})

        made = create(api, "s")

        assert made.status_code == 201, made.text
        stack = settled(api, f"/stacks/s/{made.json()['stack']['id']}")
        assert (stack["stack_status"], stack["stack_owner"]) == ("CREATE_COMPLETE", "morgiana")
        assert api.get("/stacks", headers={"X-Word": "barley"}).status_code == 401
        assert (
            httpx.get(
                f"http://127.0.0.1:{server.port}/v1/other/stacks", headers={"X-Word": "sesame"}
            ).status_code
            == 403
        )

    def test_a_plug_in_that_is_not_there(self, start: Start) -> None:
        server = start("[paste_deploy]\nflavor = custombackend\n[calor]\nauth_backend = nobody\n")

        assert server.process.wait(PATIENCE) == 1
        assert "no authentication backend nobody is installed" in server.output()

    def test_a_keystone_elsewhere_is_used_instead_of_the_embedded_one(self, start: Start) -> None:
        elsewhere = start("")
        elsewhere.ready()
        password = json.loads((elsewhere.state_dir / "passwords.json").read_text())["heat"]
        server = start(
            f"""
[keystone_authtoken]
auth_url = http://127.0.0.1:{elsewhere.port + 2}/identity
www_authenticate_uri = https://keystone.example
username = heat
password = {password}
user_domain_name = Default
project_name = service
project_domain_name = Default
"""
        )
        server.ready()
        token, project = elsewhere.token()
        api = httpx.Client(
            base_url=f"http://127.0.0.1:{server.port}/v1/{project}", headers={"X-Auth-Token": token}
        )

        made = create(api, "s", {"heat_template_version": "2018-08-31", "resources": {"w": HANDLE}})

        assert made.status_code == 201, made.text
        assert settled(api, f"/stacks/s/{made.json()['stack']['id']}")["stack_status"] == "CREATE_COMPLETE"
        assert len(server.children()) == 2
        assert not (server.state_dir / "clouds.yaml").exists()
        refused = api.get("/stacks", headers={"X-Auth-Token": "wrong"})
        assert refused.headers["www-authenticate"] == 'Keystone uri="https://keystone.example"'


@pytest.mark.parametrize(
    ("text", "identity", "services"),
    [
        ("", True, True),
        ("[keystone_authtoken]\ncafile = k.pem\n", "k.pem", "k.pem"),
        ("[keystone_authtoken]\ncafile = k.pem\n[clients]\nca_file = c.pem\n", "k.pem", "c.pem"),
        ("[clients]\nca_file = c.pem\ninsecure = true\n", True, False),
        ("[keystone_authtoken]\ncafile = k.pem\ninsecure = true\n", False, "k.pem"),
    ],
)
def test_who_answers_for_tokens_is_believed_by_a_rule_of_its_own(
    tmp_path: Path, text: str, identity: bool | str, services: bool | str
) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(text)
    settings = Settings(tmp_path, settings_of(load(cfg.ConfigOpts(), [file])))

    assert access.verify_identity(settings) == identity
    assert access.verify_services_with(settings) == services


HANDLE = {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": "CFN_SIGNAL"}}


def plug_in(folder: Path) -> None:
    """An installed distribution with an authentication backend in it."""
    about = folder / "doorkeeper-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: doorkeeper\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[calor.auth_backends]\nwords = doorkeeper:Words\n")
    (folder / "doorkeeper.py").write_text(
        """
from calor.api.auth import Identity

class Words:
    def __init__(self, settings):
        self.word = settings["word"]

    def authenticate(self, headers):
        if headers.get("x-word") != self.word:
            return None
        return Identity("1", "morgiana", "default", "hers", "hers", ("member", "reader"), "", float("inf"))
"""
    )


def on_path(folder: Path) -> str:
    import calor

    return f"{folder}:{Path(calor.__file__).parent.parent}"


class TestHowItIsReached:
    @pytest.fixture
    def certificate(self, tmp_path: Path) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "calor.test")])
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(1)
            .not_valid_before(datetime.now(UTC) - timedelta(days=1))
            .not_valid_after(datetime.now(UTC) + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
            .sign(key, hashes.SHA256())
        )
        cert_file, key_file = tmp_path / "cert.pem", tmp_path / "key.pem"
        cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return cert_file, key_file

    def test_tls(self, start: Start, certificate: tuple[Path, Path]) -> None:
        both = f"cert_file = {certificate[0]}\nkey_file = {certificate[1]}\n"
        server = start(f"[heat_api]\n{both}[heat_api_cfn]\n{both}")
        trusting = ssl.create_default_context(cafile=str(certificate[0]))
        server.ready("https", trusting)
        token, project = server.token()
        api = httpx.Client(
            base_url=f"https://127.0.0.1:{server.port}/v1/{project}",
            headers={"X-Auth-Token": token},
            verify=trusting,
        )

        made = create(api, "s").json()["stack"]

        assert made["links"][0]["href"].startswith(f"https://127.0.0.1:{server.port}/v1/")
        assert settled(api, f"/stacks/s/{made['id']}")["stack_status"] == "CREATE_COMPLETE"
        cloud = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor"]
        assert cloud["cacert"] == str(certificate[0])
        catalog = httpx.get(
            f"{cloud['auth']['auth_url']}/auth/catalog", headers={"X-Auth-Token": token}
        ).json()["catalog"]
        urls = {entry["type"]: entry["endpoints"][0]["url"] for entry in catalog}
        assert urls["orchestration"] == f"https://127.0.0.1:{server.port}/v1/{project}"
        assert urls["cloudformation"] == f"https://127.0.0.1:{server.port + 1}/v1"
        cfn = httpx.post(f"{urls['cloudformation']}/signal/x", verify=trusting)
        assert cfn.status_code == 400
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0

    def test_a_key_that_does_not_fit(self, start: Start, certificate: tuple[Path, Path]) -> None:
        server = start(f"[heat_api]\ncert_file = {certificate[0]}\nkey_file = {certificate[0]}\n")

        assert server.process.wait(PATIENCE) == 1
        assert f"{certificate[0]} and {certificate[0]} cannot be used" in server.output()

    def test_browsers_proxies_ports_and_workers(self, start: Start) -> None:
        cfn_port = free_port()
        server = start(
            f"""
[DEFAULT]
num_engine_workers = 2
[heat_api]
workers = 2
[heat_api_cfn]
bind_port = {cfn_port}
[cors]
allowed_origin = https://console.example
[oslo_middleware]
enable_proxy_headers_parsing = true
"""
        )
        server.ready()
        base = f"http://127.0.0.1:{server.port}"

        asked = {
            "Origin": "https://console.example",
            "Access-Control-Request-Method": "DELETE",
            "Access-Control-Request-Headers": "X-Auth-Token",
        }
        allowed = httpx.options(f"{base}/v1/p/stacks", headers=asked)
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == "https://console.example"
        elsewhere = httpx.options(f"{base}/v1/p/stacks", headers={**asked, "Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in elsewhere.headers
        forwarded = httpx.get(
            base, headers={"X-Forwarded-Proto": "https", "X-Forwarded-Host": "heat.example"}
        )
        assert forwarded.json()["versions"][0]["links"][0]["href"] == "https://heat.example/v1/"
        assert httpx.post(f"http://127.0.0.1:{cfn_port}/v1/signal/x").status_code == 400
        assert len(server.children()) == 5
        api = server.client()
        made = {name: create(api, name).json()["stack"]["id"] for name in ("a", "b", "c", "d")}
        states = {settled(api, f"/stacks/{name}/{id}")["stack_status"] for name, id in made.items()}
        assert states == {"CREATE_COMPLETE"}
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0

    def test_nobody_is_believed_to_be_a_proxy(self, start: Start) -> None:
        server = start("")
        server.ready()
        base = f"http://127.0.0.1:{server.port}"

        reported = httpx.get(base, headers={"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"})

        assert reported.json()["versions"][0]["links"][0]["href"] == f"{base}/v1/"


class TestWhatIsAllowed:
    def test_a_policy_file_is_above_the_default_rules(self, start: Start, tmp_path: Path) -> None:
        (tmp_path / "rules.yaml").write_text('"stacks:index": "!"\n')
        server = start("[oslo_policy]\npolicy_file = rules.yaml\n")
        server.ready()
        api = server.client()

        assert api.get("/stacks").status_code == 403
        assert create(api, "s").status_code == 201

    def test_limits(self, start: Start) -> None:
        server = start(
            """
[DEFAULT]
max_stacks_per_tenant = 1
max_resources_per_stack = 2
max_template_size = 1000
max_json_body_size = 3000
max_snapshots_per_stack = 1
max_nested_stack_depth = 1
max_software_configs_per_tenant = 1
enable_stack_abandon = false
enable_stack_adopt = false
hidden_stack_tags = secret
"""
        )
        server.ready()
        api = server.client()

        def refused(answer: httpx.Response) -> str:
            assert answer.status_code == 400, answer.text
            return str(answer.json()["error"]["type"])

        exceeded = "RequestLimitExceeded"
        three = {**TEMPLATE, "resources": {name: {"type": "OS::Heat::None"} for name in "abc"}}
        assert refused(create(api, "three", three)) == exceeded
        assert refused(create(api, "large", {**TEMPLATE, "description": "x" * 1000})) == exceeded
        assert refused(create(api, "text", json.dumps({**TEMPLATE, "description": "x" * 1000}))) == exceeded
        assert refused(create(api, "body", files={"a": "x" * 3000})) == exceeded
        inner = {"heat_template_version": "2018-08-31", "resources": {"r": {"type": "b.yaml"}}}
        files = {"a.yaml": json.dumps(inner), "b.yaml": json.dumps({"heat_template_version": "2018-08-31"})}
        deep = {**TEMPLATE, "resources": {"r": {"type": "a.yaml"}}}
        assert refused(create(api, "deep", deep, files=files)) == exceeded
        wide = {"heat_template_version": "2018-08-31", "description": "x" * 1000}
        nested = create(api, "wide", deep, files={"a.yaml": json.dumps(wide)})
        assert refused(nested) == exceeded
        made = create(api, "only", tags="secret").json()["stack"]["id"]
        settled(api, f"/stacks/only/{made}")
        assert api.get("/stacks").json() == {"stacks": []}
        assert refused(create(api, "second")) == exceeded
        assert api.post(f"/stacks/only/{made}/snapshots", json={}).status_code == 200
        settled(api, f"/stacks/only/{made}")
        assert refused(api.post(f"/stacks/only/{made}/snapshots", json={})) == exceeded
        assert api.post("/software_configs", json={"name": "a", "config": ""}).status_code == 200
        assert refused(api.post("/software_configs", json={"name": "b", "config": ""})) == exceeded
        assert refused(api.get(f"/stacks/only/{made}/export")) == "NotSupported"
        adopted = create(api, "adopted", adopt_stack_data=json.dumps({"template": TEMPLATE, "resources": {}}))
        assert refused(adopted) == "NotSupported"

    def test_an_action_ends_in_its_time(self, start: Start) -> None:
        server = start("[DEFAULT]\nstack_action_timeout = 1\n")
        server.ready()
        api = server.client()
        waiting = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 60}}
        template = {**TEMPLATE, "resources": {"slow": waiting}}

        made = create(api, "s", template).json()["stack"]["id"]

        stack = settled(api, f"/stacks/s/{made}")
        assert (stack["stack_status"], stack["stack_status_reason"]) == ("CREATE_FAILED", "Timed out")
        assert stack["timeout_mins"] is None


class TestUpdates:
    def test_repair_what_was_changed_elsewhere_if_the_operator_requests_it(self, start: Start) -> None:
        server = start("[DEFAULT]\nobserve_on_update = true\n")
        server.ready()
        api = server.client()
        template = {
            "heat_template_version": "2018-08-31",
            "resources": {"net": {"type": "OS::Neutron::Net", "properties": {"name": "mine"}}},
        }
        made = create(api, "s", template).json()["stack"]["id"]
        settled(api, f"/stacks/s/{made}")
        token, _ = server.token()
        cloud = httpx.Client(
            base_url=f"http://127.0.0.1:{server.port + 2}/network/v2.0", headers={"X-Auth-Token": token}
        )
        [net] = cloud.get("/networks", params={"name": "mine"}).json()["networks"]
        cloud.put(f"/networks/{net['id']}", json={"network": {"name": "somebody's"}})

        api.put(f"/stacks/s/{made}", json={"template": template})
        settled(api, f"/stacks/s/{made}")

        assert cloud.get(f"/networks/{net['id']}").json()["network"]["name"] == "mine"


class TestStopping:
    def test_takes_no_longer_than_is_configured(self, start: Start) -> None:
        server = start("[DEFAULT]\ngraceful_shutdown_timeout = 1\n")
        server.ready()
        with socket.create_connection(("127.0.0.1", server.port)) as unfinished:
            unfinished.sendall(b"POST /v1/p/stacks HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n")
            server.process.terminate()
            assert server.process.wait(PATIENCE) == 0

    @pytest.mark.parametrize(("stated", "seconds"), [(None, 20), (7, 7), (0, None)])
    def test_is_waited_for_as_is_configured(self, stated: int | None, seconds: float | None) -> None:
        text = "" if stated is None else f"{stated}"
        conf = cfg.ConfigOpts()
        loaded = load(conf)
        if text:
            conf.set_override("graceful_shutdown_timeout", int(text))
        settings = Settings(Path("/nowhere"), settings_of(loaded))

        assert programs.grace(settings, programs.ONE_GRACE) == seconds


def test_clients_are_reached_as_is_configured(tmp_path: Path) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(
        "[DEFAULT]\nregion_name_for_shared_services = S\nshared_services_types = volumev3\n"
        "max_cinder_api_microversion = 3.50\n"
        "[clients]\ninsecure = true\n[clients_nova]\ninsecure = false\nendpoint_type = admin\n"
        "[clients_cinder]\nca_file = /ca.pem\n"
    )
    settings = Settings(Path("/nowhere"), settings_of(load(cfg.ConfigOpts(), [file])))

    options = access.home_cloud(settings, Secrets({"heat": "pw"}, ())).options

    assert options.of("compute") == ServiceOptions(interface="admin", verify=True)
    # What [clients] says holds for what the section of a service does not say.
    assert options.of("block-storage").verify is False
    assert options.region("block-storage", "R") == "S"
    assert options.region("compute", "R") == "R"
    assert options.limit_version("volume", "3.70") == "3.50"


def test_servers_reach_the_urls_that_clients_get(tmp_path: Path) -> None:
    file = tmp_path / "heat.conf"
    file.write_text(
        "[calor]\npublic_url = http://heat.example\npublic_cfn_url = https://heat.example\n"
        "public_cloud_url = http://cloud.example/behind\n"
    )
    settings = Settings(Path("/nowhere"), settings_of(load(cfg.ConfigOpts(), [file])))

    assert cloud_config(settings).host_services == (
        HostService("heat.example", 80, ("127.0.0.1", 8004)),
        # Only the proxy speaks TLS, and knows the path.
        HostService("heat.example", 443),
        HostService("cloud.example", 80),
    )


@pytest.mark.parametrize(("trustee", "is_same"), [("heat", True), ("another", False)])
def test_a_trustee_who_is_the_service_user_logs_in_once(tmp_path: Path, trustee: str, is_same: bool) -> None:
    file = tmp_path / "heat.conf"
    account = "auth_url = http://k/\nuser_domain_id = default\npassword = pw\n"
    service = f"[keystone_authtoken]\n{account}username = heat\nproject_name = service\n"
    file.write_text(f"{service}[trustee]\n{account}username = {trustee}\n")
    settings = Settings(tmp_path, settings_of(load(cfg.ConfigOpts(), [file])))

    home = access.home_cloud(settings, Secrets({"heat": "pw"}, ()))

    assert (access.trusted_cloud(settings, home) is home) is is_same


class TestWhatTheOperatorAdds:
    def test_environments_templates_and_defaults(self, start: Start, tmp_path: Path) -> None:
        (tmp_path / "environment.d").mkdir()
        (tmp_path / "templates").mkdir()
        own = tmp_path / "own.yaml"
        own.write_text(json.dumps({**TEMPLATE, "outputs": {"word": {"value": "from the operator"}}}))
        registry = {"resource_registry": {"Our::Type": own.as_uri()}, "parameter_defaults": {"size": "large"}}
        (tmp_path / "environment.d" / "ours.yaml").write_text(json.dumps(registry))
        (tmp_path / "templates" / "AWS_RDS_DBInstance.yaml").write_text(
            json.dumps({**TEMPLATE, "outputs": {"word": {"value": "ours"}}})
        )
        server = start("[DEFAULT]\ndefault_deployment_signal_transport = HEAT_SIGNAL\n")
        server.ready()
        api = server.client()
        template = {
            "heat_template_version": "2018-08-31",
            "parameters": {"size": {"type": "string"}},
            "resources": {"ours": {"type": "Our::Type"}, "base": {"type": "AWS::RDS::DBInstance"}},
            "outputs": {
                "word": {"value": {"get_attr": ["ours", "word"]}},
                "size": {"value": {"get_param": "size"}},
                "base": {"value": {"get_attr": ["base", "word"]}},
            },
        }

        made = create(api, "s", template)

        assert made.status_code == 201, made.text
        stack = settled(api, f"/stacks/s/{made.json()['stack']['id']}")
        outputs = {output["output_key"]: output["output_value"] for output in stack["outputs"]}
        assert outputs == {"word": "from the operator", "size": "large", "base": "ours"}
        schema = api.get("/resource_types/OS::Heat::SoftwareDeployment").json()["properties"]
        assert schema["signal_transport"]["default"] == "HEAT_SIGNAL"


class TestWhatIsKept:
    def test_secrets_are_encrypted_with_the_configured_key(self, start: Start) -> None:
        server = start(f"[DEFAULT]\nauth_encryption_key = {'k' * 32}\n")
        server.ready()
        assert create(server.client(), "s").status_code == 201

        with sqlite3.connect(server.state_dir / "calor.db") as connection:
            (secret,) = connection.execute("SELECT secret FROM credentials").fetchone()
        assert "trust_id" in Cipher(base64.urlsafe_b64encode(b"k" * 32)).decrypt(secret)

    def test_all_stacks_are_encrypted_if_that_is_wanted(self, start: Start) -> None:
        server = start("[DEFAULT]\nencrypt_parameters_and_properties = true\n")
        server.ready()
        api = server.client()
        described = {**TEMPLATE, "description": "unmistakable"}
        made = create(api, "s", described).json()["stack"]["id"]
        settled(api, f"/stacks/s/{made}")

        with sqlite3.connect(server.state_dir / "calor.db") as connection:
            bodies = [body for (body,) in connection.execute("SELECT body FROM content")]
        assert bodies
        # Fernet's tokens begin so; what is not encrypted is compressed, and begins otherwise.
        assert all(body.startswith(b"gAAAA") for body in bodies)

    def test_another_database_than_the_usual_one(self, start: Start, tmp_path: Path) -> None:
        server = start(f"[database]\nconnection = sqlite:///{tmp_path}/other.db\n")
        server.ready()
        assert create(server.client(), "s").status_code == 201

        assert (tmp_path / "other.db").exists()
        assert not (server.state_dir / "calor.db").exists()


class TestWhatIsWrong:
    def test_a_wrong_value_keeps_it_from_starting(self, start: Start, tmp_path: Path) -> None:
        server = start("[DEFAULT]\n\nmax_stacks_per_tenant = many\n")

        assert server.process.wait(PATIENCE) == 1
        assert f"{tmp_path}/heat.conf:3: [DEFAULT] max_stacks_per_tenant" in server.output()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[database]\nconnection = nosuch://u:pw@h/d\n", "the database cannot be used"),
            ("[database]\nconnection = sqlite:////nowhere/at/all.db\n", "the database cannot be used"),
            ("[oslo_policy]\npolicy_file = heat.conf\n", "heat.conf cannot be used"),
        ],
    )
    def test_what_it_cannot_work_with_keeps_it_from_starting(
        self, start: Start, text: str, message: str
    ) -> None:
        server = start(text)

        assert server.process.wait(PATIENCE) == 1
        reported = server.output()
        assert message in reported
        assert "Traceback" not in reported
        assert "u:pw" not in reported

    def test_options_without_effect_are_reported(self, start: Start, tmp_path: Path) -> None:
        server = start("[DEFAULT]\ntransport_url = rabbit://\nmax_stack_per_tenant = 3\n")
        server.ready()
        server.process.terminate()
        server.process.wait(PATIENCE)

        reported = server.output()
        assert f"INFO calor: {tmp_path}/heat.conf:2: [DEFAULT] transport_url has no effect" in reported
        assert (
            f"WARNING calor: {tmp_path}/heat.conf:3: unknown option [DEFAULT] max_stack_per_tenant"
            in reported
        )
