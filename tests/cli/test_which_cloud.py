"""Which cloud a command is about, and who one is there."""

from __future__ import annotations

import argparse
from pathlib import Path

import httpx2 as httpx
import pytest
import yaml

from calor.cli.api.settings import CloudSettings, chosen_cloud
from calor.cli.errors import CommandError
from tests.cli.invocation import Run
from tests.support.server import Server


@pytest.fixture
def home(clean_environment: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty but for a server's state, and the current folder."""
    state = tmp_path / "state"
    state.mkdir()
    write(state / "clouds.yaml", calor="http://embedded/v3")
    monkeypatch.setenv("CALOR_STATE_DIR", str(state))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def write(file: Path, **clouds: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {
        name: {"auth": {"auth_url": url, "username": "u", "password": "p"}} for name, url in clouds.items()
    }
    file.write_text(yaml.safe_dump({"clouds": content}))


def chosen(**options: str) -> CloudSettings:
    return chosen_cloud(argparse.Namespace(**options))


class TestChoosing:
    def test_without_a_word_it_is_the_embedded_server(self, home: Path) -> None:
        assert chosen().auth["auth_url"] == "http://embedded/v3"
        assert chosen().name == "calor"

    def test_a_lone_cloud_in_a_file_is_not_taken_for_it(self, home: Path) -> None:
        write(home / "here" / "clouds.yaml", production="http://production")

        assert chosen().name == "calor"

    def test_a_name_is_looked_for_where_clients_look(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(home / "config" / "openstack" / "clouds.yaml", one="http://config", two="http://config")
        write(home / "here" / "clouds.yaml", one="http://here")
        monkeypatch.setenv("OS_CLOUD", "one")
        assert chosen().auth["auth_url"] == "http://here"
        assert chosen(os_cloud="two").auth["auth_url"] == "http://config"

        write(home / "stated.yaml", one="http://stated")
        monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(home / "stated.yaml"))
        assert chosen().auth["auth_url"] == "http://stated"
        assert chosen(os_cloud="calor").auth["auth_url"] == "http://embedded/v3"

    def test_a_file_that_is_named_shows_which_if_it_has_one(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(home / "stated.yaml"))
        write(home / "stated.yaml", lone="http://lone")
        assert chosen().name == "lone"

        write(home / "stated.yaml", lone="http://lone", other="http://other")
        with pytest.raises(CommandError) as raised:
            chosen()
        assert "set OS_CLOUD" in raised.value.line()

    def test_the_environment_speaks_for_itself(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OS_AUTH_URL", "http://environment/v3")
        monkeypatch.setenv("OS_TENANT_NAME", "old")
        monkeypatch.setenv("OS_PROJECT_NAME", "new")
        monkeypatch.setenv("OS_ENDPOINT_TYPE", "internalURL")
        monkeypatch.setenv("OS_CACERT", "/ca.pem")

        found = chosen(os_region_name="west")

        assert found.auth == {"auth_url": "http://environment/v3", "project_name": "new"}
        assert (found.interface, found.cacert, found.region) == ("internal", "/ca.pem", "west")

    def test_an_option_counts_more_than_a_file(self, home: Path) -> None:
        assert chosen(os_project_name="other").auth["project_name"] == "other"

    @pytest.mark.parametrize(
        ("variables", "kind"),
        [
            ({"OS_PASSWORD": "p"}, "password"),
            ({"OS_TOKEN": "t"}, "token"),
            ({"OS_AUTH_TOKEN": "t"}, "token"),
            (
                {"OS_APPLICATION_CREDENTIAL_SECRET": "s", "OS_APPLICATION_CREDENTIAL_ID": "i"},
                "v3applicationcredential",
            ),
            ({"OS_NO_CLIENT_AUTH": "True"}, "none"),
            ({"OS_AUTH_TYPE": "v3totp"}, "v3totp"),
        ],
    )
    def test_how_to_log_in_follows_from_what_is_given(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], kind: str
    ) -> None:
        for name, value in {"OS_AUTH_URL": "http://x", **variables}.items():
            monkeypatch.setenv(name, value)

        assert chosen().auth_type == kind

    @pytest.mark.parametrize(("verify", "expected"), [(True, True), (False, False), ("false", False)])
    def test_certificates_are_verified_unless_a_file_disables_it(
        self, home: Path, verify: object, expected: bool
    ) -> None:
        entry = {"auth": {"auth_url": "https://x"}, "verify": verify, "cacert": "/ca"}
        (home / "here" / "clouds.yaml").write_text(yaml.safe_dump({"clouds": {"x": entry}}))

        assert chosen(os_cloud="x").verify is expected

    def test_a_password_is_not_in_what_is_logged(self, home: Path) -> None:
        assert "'p'" not in repr(chosen())

    def test_a_file_that_is_not_yaml_is_named(self, home: Path) -> None:
        (home / "here" / "clouds.yaml").write_text("{")

        with pytest.raises(CommandError) as raised:
            chosen(os_cloud="x")
        assert str(home / "here" / "clouds.yaml") in raised.value.line()


class TestLoggingIn:
    @pytest.fixture
    def auth_url(self, server: Server, calor: Run, monkeypatch: pytest.MonkeyPatch) -> str:
        entry = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor"]["auth"]
        monkeypatch.setenv("CALOR_STATE_DIR", "/nowhere")
        monkeypatch.setenv("OS_AUTH_URL", entry["auth_url"].removesuffix("/v3"))
        self.entry = entry
        return str(entry["auth_url"])

    def test_with_a_password_from_the_environment(
        self, auth_url: str, calor: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_USERNAME", "demo")
        monkeypatch.setenv("OS_PASSWORD", self.entry["password"])
        monkeypatch.setenv("OS_PROJECT_NAME", "demo")
        monkeypatch.setenv("OS_USER_DOMAIN_NAME", "Default")
        assert calor("stack", "list").code == 0

        monkeypatch.setenv("OS_PASSWORD", "wrong")
        refused = calor("stack", "list")
        assert refused.code == 1
        assert "refuses the log-in" in refused.err
        assert len(refused.complaints) == 1

    def test_with_a_token(
        self, auth_url: str, calor: Run, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token, project = server.token()
        monkeypatch.setenv("OS_TOKEN", token)
        monkeypatch.setenv("OS_PROJECT_ID", project)

        assert calor("stack", "list").code == 0

    def test_with_an_application_credential(
        self, auth_url: str, calor: Run, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        token, _ = server.token()
        headers = {"X-Auth-Token": token, "X-Subject-Token": token}
        user = httpx.get(f"{auth_url}/auth/tokens", headers=headers).json()["token"]["user"]["id"]
        made = httpx.post(
            f"{auth_url}/users/{user}/application_credentials",
            headers=headers,
            json={"application_credential": {"name": "cli"}},
        ).json()["application_credential"]
        monkeypatch.setenv("OS_APPLICATION_CREDENTIAL_ID", made["id"])
        monkeypatch.setenv("OS_APPLICATION_CREDENTIAL_SECRET", made["secret"])

        assert calor("stack", "list").code == 0

    def test_a_way_that_is_not_known_is_reported_with_those_that_are(
        self, auth_url: str, calor: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_AUTH_TYPE", "v3totp")

        assert "(password, v3token and v3applicationcredential are)" in calor("stack", "list").err

    def test_a_region_without_the_service_is_reported(
        self, auth_url: str, calor: Run, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CALOR_STATE_DIR", str(server.state_dir))
        ran = calor("stack", "list", "--os-cloud", "calor", "--os-region-name", "Elsewhere")

        assert "has no public endpoint of type orchestration in the region Elsewhere" in ran.err

    def test_requests_are_shown_on_demand_but_no_secrets(self, calor: Run, server: Server) -> None:
        ran = calor("stack", "list", "--debug")

        assert [line.split()[0] for line in ran.complaints] == ["POST", "GET"]
        password = yaml.safe_load((server.state_dir / "clouds.yaml").read_text())["clouds"]["calor"]["auth"][
            "password"
        ]
        assert password not in ran.err

    def test_a_certificate_that_is_not_there_is_named(
        self, calor: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OS_NO_CLIENT_AUTH", "1")

        ran = calor("stack", "list", "--heat-url", "https://127.0.0.1:1/v1/p", "--os-cacert", "gone.pem")

        assert ran.err == "calor: gone.pem cannot be used: No such file or directory\n"
