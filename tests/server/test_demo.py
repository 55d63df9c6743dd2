"""`make demo`."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.server import free_port, until

pytestmark = pytest.mark.extended

HOME = Path(__file__).resolve().parents[2]
SCRIPT = HOME / "scripts" / "demo.py"


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *reported: Any) -> None:
        """Nobody wants to know."""


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location("demo", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "STATE", tmp_path / "demo")
    monkeypatch.setattr(module, "calor", lambda *words: [sys.executable, "-m", "calor", *words])
    return module


def test_a_port_at_which_another_server_answers_is_reported_with_the_way_out(
    demo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = HTTPServer(("127.0.0.1", 0), Healthy)
    Thread(target=other.serve_forever, daemon=True).start()
    port = str(other.server_address[1])
    monkeypatch.setattr(demo, "PORT", port)
    monkeypatch.setattr(demo, "URL", f"http://127.0.0.1:{port}")
    try:
        with pytest.raises(SystemExit) as ended:
            demo.start()
    finally:
        other.shutdown()
        other.server_close()

    said = str(ended.value)
    assert f"port {port} on 127.0.0.1 is in use by process" in said
    assert "CALOR_DEMO_PORT=" in said


def test_two_at_once_make_one(
    demo: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    port = str(free_port())
    monkeypatch.setattr(demo, "PORT", port)
    monkeypatch.setattr(demo, "URL", f"http://127.0.0.1:{port}")
    monkeypatch.setattr(demo, "TEMPLATE", HOME / "examples" / "first" / "first.yaml")
    both = [Thread(target=demo.up) for _ in range(2)]
    try:
        for one in both:
            one.start()
        for one in both:
            one.join()
    finally:
        demo.down()

    said = capfd.readouterr().out
    assert said.count("Starting Calor") == 1
    assert said.count("Another `make demo` is starting it") == 1
    assert said.count("The demo is already running") == 1
    assert said.count("What to try next") == 2


class TestWhenItRunsAlready:
    @pytest.fixture
    def running(self, demo: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        port = str(free_port())
        monkeypatch.setattr(demo, "PORT", port)
        monkeypatch.setattr(demo, "URL", f"http://127.0.0.1:{port}")
        monkeypatch.setattr(demo, "TEMPLATE", HOME / "examples" / "first" / "first.yaml")
        demo.up()
        yield demo
        demo.down()

    def test_it_is_shown_and_left_as_it_is(
        self, running: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url, process = running.URL, running.server_process()
        before = shown(running)
        capfd.readouterr()

        # The port of the next one does not matter.
        monkeypatch.setattr(running, "URL", "http://127.0.0.1:1")
        running.up()

        said = capfd.readouterr().out
        assert "The demo is already running" in said
        assert "output_value" in said
        assert f"Calor runs at {url}. What to try next" in said
        assert "Creating the stack" not in said
        assert (running.server_process(), shown(running)) == (process, before)

    def test_a_stack_that_was_deleted_is_made_again(
        self, running: Any, capfd: pytest.CaptureFixture[str]
    ) -> None:
        before = shown(running)
        assert running.run("stack", "delete", "--yes", "web") == 0
        capfd.readouterr()

        running.up()

        assert "Creating the stack `web`" in capfd.readouterr().out
        assert shown(running) != before

    def test_what_is_gone_is_started_again(self, running: Any, capfd: pytest.CaptureFixture[str]) -> None:
        process = running.server_process()
        os.kill(process, signal.SIGKILL)
        until(lambda: running.server_process() is None)
        capfd.readouterr()

        running.up()

        assert "Starting Calor" in capfd.readouterr().out
        assert running.server_process() not in (None, process)


def shown(demo: Any) -> str:
    words = demo.calor("stack", "show", "web", "-f", "value", "-c", "id")
    return subprocess.run(words, env=demo.environment(), capture_output=True, text=True, check=True).stdout
