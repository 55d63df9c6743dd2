"""Software configurations and deployments on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.invocation import Run
from tests.cli.plain_heat import OlderService
from tests.support.server import Server


@pytest.fixture
def config(calor: Run, templates: Path) -> str:
    (templates / "run.sh").write_text("echo $greeting\n")
    (templates / "definition.yaml").write_text(
        "inputs: [{name: greeting, default: hello}]\noutputs: [{name: result}]\noptions: {shell: bash}\n"
    )
    words = ("--config-file", "run.sh", "--definition-file", "definition.yaml", "--group", "script")
    made = json.loads(calor("config", "create", "greet", *words, "-f", "json").out)
    assert made["inputs"][0]["name"] == "greeting"
    return str(made["id"])


class TestConfigs:
    def test_are_created_listed_shown_and_deleted(self, calor: Run, config: str) -> None:
        assert config in calor("config", "list", "-f", "value", "-c", "id").lines
        assert calor("config", "show", config, "--config-only").out == "echo $greeting\n\n"
        assert json.loads(calor("software", "config", "show", config, "-f", "json").out)["group"] == "script"
        deleted = calor("config", "delete", config)
        assert deleted.code == 0
        assert "cloud calor, project demo" in deleted.err
        assert calor("config", "show", config).code == 1

    def test_one_that_cannot_be_deleted_does_not_keep_the_others(self, calor: Run, config: str) -> None:
        ran = calor("config", "delete", "missing", config)

        assert ran.code == 1
        assert "not deleted: missing" in ran.err
        assert config not in calor("config", "list").out

    def test_in_the_old_spelling(self, heat: Run, config: str) -> None:
        assert config in heat("config-list").out
        assert heat("config-show", "-c", config).out == "echo $greeting\n\n"
        assert (
            json.loads(heat("config-create", "-c", "run.sh", "-g", "script", "second").out)["name"]
            == "second"
        )


class TestDeployments:
    def test_get_a_configuration_of_their_own(self, calor: Run, config: str) -> None:
        words = ("--config", config, "--input-value", "greeting=good day", "--server", "server-1")
        ran = calor("deployment", "create", "now", *words, "--signal-transport", "NO_SIGNAL", "-f", "json")

        made = json.loads(ran.out)
        assert (made["status"], made["server_id"]) == ("COMPLETE", "server-1")
        derived = json.loads(calor("config", "show", made["config_id"], "-f", "json").out)
        values = {one["name"]: one["value"] for one in derived["inputs"]}
        assert values["greeting"] == "good day"
        assert values["deploy_signal_transport"] == "NO_SIGNAL"
        assert made["id"] in calor("deployment", "list", "--server", "server-1", "--long").out
        assert json.loads(calor("deployment", "show", made["id"], "-f", "json").out)["action"] == "UPDATE"
        assert json.loads(calor("deployment", "metadata", "show", "server-1").out)[0]["name"] == "now"
        assert "there are none yet" in calor("deployment", "output", "show", made["id"], "result").err
        assert calor("deployment", "delete", made["id"]).code == 0

    def test_of_a_group_are_named_by_their_path(
        self, calor: Run, templates: Path, request: pytest.FixtureRequest
    ) -> None:
        (templates / "group.yaml").write_text(
            "heat_template_version: 2018-08-31\n"
            "resources:\n"
            "  group:\n"
            "    type: OS::Heat::SoftwareDeploymentGroup\n"
            "    properties: {servers: {a: server-a}, signal_transport: NO_SIGNAL}\n"
        )
        created = calor("stack", "create", "-t", "group.yaml", "grouped")
        assert created.code == 0
        request.addfinalizer(lambda: calor("stack", "delete", "--yes", "grouped"))
        id = calor("stack", "show", "grouped", "-f", "value", "-c", "id").out.strip()

        for path in ("grouped/group/a", f"grouped/{id}/group/a"):
            shown = calor("deployment", "show", path, "-f", "json")
            assert json.loads(shown.out)["server_id"] == "server-a"
        of_all = calor("deployment", "show", "grouped/group")
        assert "grouped/group is a group of deployments" in of_all.err
        assert "grouped/group/MEMBER" in of_all.err

    def test_the_result_is_put_into_the_object_store_of_the_cloud(self, calor: Run, config: str) -> None:
        ran = calor("deployment", "create", "later", "--config", config, "--server", "s", "-f", "json")

        made = json.loads(ran.out)
        derived = json.loads(calor("config", "show", made["config_id"], "-f", "json").out)
        url = next(one["value"] for one in derived["inputs"] if one["name"] == "deploy_signal_id")
        assert "/object-store/v1/AUTH_" in url
        assert "temp_url_sig=" in url

    @pytest.fixture
    def store(self, server: Server, calor: Run) -> Iterator[OlderService]:
        made = OlderService(f"http://127.0.0.1:{server.port}")
        yield made
        made.stop()

    def test_a_server_gets_the_place_for_its_result(
        self, calor: Run, config: str, store: OlderService
    ) -> None:
        words = ("--config", config, "--server", "s", "--container", "results", "--os-cloud", "calor")
        ran = calor(
            "deployment", "create", "soon", *words, "--os-storage-url", f"{store.url}/store", "-f", "json"
        )

        made = json.loads(ran.out)
        assert made["status"] == "IN_PROGRESS"
        derived = json.loads(calor("config", "show", made["config_id"], "-f", "json").out)
        url = next(one["value"] for one in derived["inputs"] if one["name"] == "deploy_signal_id")
        assert url.startswith(f"{store.url}/store/results/")
        assert "temp_url_sig=" in url
        assert url.partition("?")[0].removeprefix(store.url) in store.stored
        assert store.stored["/store"]["x-account-meta-temp-url-key"]
