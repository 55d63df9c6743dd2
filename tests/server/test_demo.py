"""`make demo`."""

from __future__ import annotations

import importlib.util
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "demo.py"


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, *told: Any) -> None:
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


def test_a_port_at_which_another_server_answers_is_told_with_the_way_out(
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
    assert f"port {port} on 127.0.0.1 is taken by process" in said
    assert "CALOR_DEMO_PORT=" in said
