"""What a whole server tells of itself."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx2 as httpx
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.server import PATIENCE, Server, free_port

DEPLOY = Path(__file__).parents[2] / "deploy"
TEMPLATE = {
    "heat_template_version": "2021-04-16",
    "parameters": {"word": {"type": "string", "hidden": True}},
    "resources": {
        "r": {"type": "OS::Heat::TestResource", "properties": {"value": {"get_param": "word"}}},
    },
}
HIDDEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from _started(tmp_path_factory.mktemp("observed"))


@pytest.fixture
def short_lived(tmp_path: Path) -> Iterator[Server]:
    """One whose processes may be killed: the figures of an engine end with it."""
    yield from _started(tmp_path)


def _started(folder: Path) -> Iterator[Server]:
    config = folder / "calor.conf"
    config.write_text("[DEFAULT]\ndebug = true\nuse_json = true\n[heat_api]\nworkers = 2\n")
    made = Server(folder / "state", free_port(), config)
    made.ready()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def worked(server: Server) -> Server:
    """The server after a stack was made and deleted, and another one made."""
    with server.client() as api:
        made = _create(api, {"X-OpenStack-Request-ID": "req-that-created"})
        api.delete(f"/stacks/s/{made}")
        _settled(api, made)
        _create(api, {})
    return server


def _create(api: httpx.Client, headers: dict[str, str]) -> str:
    body = {"stack_name": "s", "template": TEMPLATE, "parameters": {"word": HIDDEN}}
    made: str = api.post("/stacks", json=body, headers=headers).json()["stack"]["id"]
    _settled(api, made)
    return made


def _settled(api: httpx.Client, id: str) -> None:
    end = time.monotonic() + PATIENCE
    while api.get(f"/stacks/s/{id}").json()["stack"]["stack_status"].endswith("IN_PROGRESS"):
        assert time.monotonic() < end
        time.sleep(0.02)


def _metrics(server: Server) -> str:
    answer = httpx.get(f"http://127.0.0.1:{server.port}/metrics")
    assert answer.status_code == 200
    return answer.text


def _names(text: str) -> set[str]:
    return {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}


def _expressions(given: Any) -> Iterator[str]:
    """Whatever is an expression in a dashboard, or in rules."""
    if isinstance(given, dict):
        for name, value in given.items():
            if name == "expr":
                yield value
            else:
                yield from _expressions(value)
    elif isinstance(given, list):
        for value in given:
            yield from _expressions(value)


def test_each_process_has_its_figures_in_one_text(worked: Server) -> None:
    families = {family.name: family for family in text_string_to_metric_families(_metrics(worked))}

    processes = {sample.labels["process"] for sample in families["process_open_fds"].samples}
    assert processes == {"api", "api-2", "cloud", "engine"}
    runs = [one for one in families["calor_run_seconds"].samples if one.name.endswith("_count")]
    assert {one.labels["action"]: one.value for one in runs} == {"CREATE": 2, "DELETE": 1}


@pytest.mark.parametrize("file", ["grafana/dashboard.json", "prometheus/rules.yml"])
def test_every_series_of_the_examples_exists(worked: Server, file: str) -> None:
    expressions = list(_expressions(yaml.safe_load((DEPLOY / file).read_text())))

    used = {name for one in expressions for name in re.findall(r"\b(?:calor|process)_\w+", one)}

    assert len(used) > 3
    assert used - _names(_metrics(worked)) == set()


def test_the_scrape_example_is_of_the_default_port() -> None:
    [job] = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["scrape_configs"]

    assert job["static_configs"] == [{"targets": ["127.0.0.1:8004"]}]


@pytest.mark.extended
def test_an_engine_in_the_place_of_a_killed_one_has_its_name(short_lived: Server) -> None:
    engine = short_lived.child("engine")
    assert engine is not None
    os.kill(engine, signal.SIGKILL)

    end = time.monotonic() + PATIENCE
    is_told = 'process_open_fds{process="engine"}'
    while short_lived.child("engine") in (engine, None) or is_told not in _metrics(short_lived):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert "engine-2" not in _metrics(short_lived)


def test_the_log_leads_from_the_request_to_the_run_and_shows_no_secret(worked: Server) -> None:
    text = worked.output()
    lines = [json.loads(line) for line in text.splitlines()]

    about = [line for line in lines if line.get("request_id") == "req-that-created"]
    assert {line["process"].partition("-")[0] for line in about} == {"api", "engine"}
    assert {line["logger"] for line in about} >= {"calor.requests", "calor.runs"}
    reported = yaml.safe_load((worked.state_dir / "clouds.yaml").read_text())["clouds"]
    secrets = {HIDDEN, worked.token()[0], *(cloud["auth"]["password"] for cloud in reported.values())}
    assert [secret for secret in secrets if secret in text] == []


@pytest.mark.extended
def test_spans_of_all_processes_are_sent_to_the_collector(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    received: list[Any] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, ExportTraceServiceRequest.FromString(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    collector = HTTPServer(("127.0.0.1", 0), Collector)
    Thread(target=collector.serve_forever, daemon=True).start()
    config = tmp_path / "calor.conf"
    config.write_text(f"[calor]\notlp_endpoint = http://127.0.0.1:{collector.server_port}\n")
    server = Server(tmp_path / "state", free_port(), config, OTEL_EXPORTER_OTLP_COMPRESSION="none")
    server.ready()
    with server.client() as api:
        _create(api, {})
    server.stop()
    collector.shutdown()

    assert {path for path, _ in received} == {"/v1/traces"}
    spans = {
        span.name: span
        for _, request in received
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    way = ["POST /stacks", "run CREATE", "CREATE OS::Heat::TestResource"]
    assert set(way) <= set(spans)
    assert len({spans[name].trace_id for name in way}) == 1
    assert spans["run CREATE"].parent_span_id == spans["POST /stacks"].span_id
