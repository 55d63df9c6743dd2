"""Calor behind nginx, configured as docs/operating.md says."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event

import httpx2 as httpx
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.processes import Fleet
from tests.support.requirements import need
from tests.support.server import free_port, until

pytestmark = pytest.mark.extended

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "operating.md"
VISITORS = 4
ROUNDS = 2


def documented(language: str) -> list[str]:
    text = DOCUMENTATION.read_text().partition("## TLS and proxies")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def make_certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "calor.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "calor.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


class Proxied:
    """Two APIs, an engine and the embedded cloud, with nginx in front of them. What the documentation says about ports
    and files is all that is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_certificate(folder)
        self.believed = ssl.create_default_context(cafile=folder / "calor.pem")
        self.front = free_port()
        behind = free_port()
        self.apis = {"api-1": behind, "api-2": free_port()}
        (settings,) = documented("ini")
        places = {
            "127.0.0.1:8014": f"127.0.0.1:{self.apis['api-1']}",
            "127.0.0.1:8024": f"127.0.0.1:{self.apis['api-2']}",
            "127.0.0.1:8016": f"127.0.0.1:{behind + 2}",
            "listen 8004": f"listen 127.0.0.1:{self.front}",
            "listen 8006": f"listen 127.0.0.1:{self.front + 2}",
            "/etc/nginx": str(folder),
            "https://heat.example:8004": f"https://127.0.0.1:{self.front}",
            "https://heat.example:8005": f"https://127.0.0.1:{self.front + 1}",
            "https://heat.example:8006": f"https://127.0.0.1:{self.front + 2}",
            "/etc/ssl/certs/our-authority.pem": str(folder / "calor.pem"),
        }

        def placed(text: str) -> str:
            for before, after in places.items():
                text = text.replace(before, after)
            return text

        (folder / "heat.conf").write_text(placed(settings))
        (folder / "nginx.conf").write_text(
            f"pid {folder}/nginx.pid; error_log {folder}/nginx.log;\nevents {{}}\n"
            f"http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder};\n"
            f"fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};\n"
            + placed("".join(documented("nginx")))
            + "}\n"
        )
        self.fleet = Fleet(folder, CALOR_CONFIG_FILE=str(folder / "heat.conf"))
        self.fleet.port = behind
        self.fleet.environment["OS_HEAT_API__BIND_PORT"] = str(behind)
        self.fleet.start("cloud")
        self.fleet.start("engine")
        for name in self.apis:
            self.start(name)
        nginx = [
            "nginx",
            "-e",
            str(folder / "nginx.log"),
            "-c",
            str(folder / "nginx.conf"),
            "-g",
            "daemon off;",
        ]
        self.fleet.launch("nginx", nginx)
        until(self._answers)

    def start(self, name: str) -> None:
        self.fleet.start("api", "--port", str(self.apis[name]), called=name)

    def restart(self, name: str) -> None:
        assert self.fleet.tell(name) == 0, self.fleet.log(name)
        self.start(name)

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=f"https://127.0.0.1:{self.front}", verify=self.believed)

    def _answers(self) -> bool:
        try:
            with self.client() as client:
                return bool(client.get("/healthcheck").status_code == 200)
        except httpx.HTTPError:
            return False


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[Proxied]:
    need("nginx")
    made = Proxied(tmp_path)
    yield made
    made.fleet.stop()


@contextmanager
def visited(proxied: Proxied, path: str, token: str) -> Iterator[list[int | str]]:
    """What those see who ask and write all the time, in the end."""
    leaving = Event()
    seen: list[int | str] = []

    def visit(number: int) -> None:
        with proxied.client() as client:
            client.headers["X-Auth-Token"] = token
            while not leaving.is_set():
                try:
                    seen.append(client.get(f"{path}/stacks").status_code)
                    body = {"name": f"c{number}", "config": "x", "group": "g"}
                    seen.append(client.post(f"{path}/software_configs", json=body).status_code)
                except httpx.HTTPError as error:
                    seen.append(repr(error))

    with ThreadPoolExecutor(VISITORS) as visitors:
        for number in range(VISITORS):
            visitors.submit(visit, number)
        try:
            yield seen
        finally:
            leaving.set()


def token_through(proxied: Proxied) -> tuple[str, str]:
    """A token that was asked for at the address in clouds.yaml, and the project."""
    cloud = yaml.safe_load((proxied.fleet.state_dir / "clouds.yaml").read_text())["clouds"]["calor"]
    auth = cloud["auth"]
    assert auth["auth_url"] == f"https://127.0.0.1:{proxied.front + 2}/identity/v3"
    domain = {"name": "Default"}
    user = {"name": auth["username"], "password": auth["password"], "domain": domain}
    body = {
        "auth": {
            "identity": {"methods": ["password"], "password": {"user": user}},
            "scope": {"project": {"name": auth["project_name"], "domain": domain}},
        }
    }
    answer = httpx.post(f"{auth['auth_url']}/auth/tokens", json=body, verify=proxied.believed)
    assert cloud["cacert"] == str(proxied.folder / "calor.pem")
    return answer.headers["X-Subject-Token"], answer.json()["token"]["project"]["id"]


def test_a_rolling_restart_fails_no_request(proxied: Proxied) -> None:
    token, project = token_through(proxied)
    with visited(proxied, f"/v1/{project}", token) as seen:
        for _ in range(ROUNDS):
            for name in proxied.apis:
                proxied.restart(name)
        already = len(seen)
        until(lambda: len(seen) > already + 10)

    assert set(seen) == {200}


def test_clients_use_the_embedded_cloud_through_tls(
    proxied: Proxied, monkeypatch: pytest.MonkeyPatch
) -> None:
    openstack = pytest.importorskip("openstack")
    for name in ("REQUESTS_CA_BUNDLE", "OS_CLOUD"):
        monkeypatch.delenv(name, raising=False)
    files = [str(proxied.fleet.state_dir / "clouds.yaml")]
    loader = openstack.config.OpenStackConfig(config_files=files)
    cloud = openstack.connection.Connection(config=loader.get_one("calor"))
    template = {
        "heat_template_version": "2018-08-31",
        "resources": {"net": {"type": "OS::Neutron::Net", "properties": {"name": "through-tls"}}},
    }

    made = cloud.orchestration.create_stack(name="s", template=template)
    until(lambda: cloud.orchestration.get_stack(made.id).status == "CREATE_COMPLETE")

    assert [net.name for net in cloud.network.networks(name="through-tls")] == ["through-tls"]
    catalog = cloud.session.auth.get_access(cloud.session).service_catalog.catalog
    public = {
        one["url"] for service in catalog for one in service["endpoints"] if one["interface"] == "public"
    }
    fronts = tuple(f"https://127.0.0.1:{proxied.front + n}/" for n in range(3))
    assert all(url.startswith(fronts) for url in public)
    # Links lead where the client came from.
    [flavor, *_] = cloud.compute.get("/flavors").json()["flavors"]
    assert flavor["links"][0]["href"].startswith(f"https://127.0.0.1:{proxied.front + 2}/compute/")
    cloud.close()
