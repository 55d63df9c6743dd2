"""Terraform, where it and its provider for AWS are installed, manages a stack with the CFN API."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.ec2 import get, new_keys
from tests.support.server import Server, free_port

TEMPLATE = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Parameters": {"Length": {"Type": "String"}},
    "Resources": {"Secret": {"Type": "OS::Heat::RandomString", "Properties": {"length": {"Ref": "Length"}}}},
    "Outputs": {"Length": {"Value": {"Ref": "Length"}}},
}


def configuration(url: str, length: int) -> dict[str, Any]:
    return {
        "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws"}}},
        "provider": {
            "aws": {
                "region": "us-east-1",
                "skip_credentials_validation": True,
                "skip_metadata_api_check": True,
                "skip_requesting_account_id": True,
                "endpoints": {"cloudformation": url},
            }
        },
        "resource": {
            "aws_cloudformation_stack": {
                "web": {
                    "name": "terraform",
                    "template_body": json.dumps(TEMPLATE),
                    "parameters": {"Length": str(length)},
                }
            }
        },
        "output": {"length": {"value": "${aws_cloudformation_stack.web.outputs.Length}"}},
    }


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "state", free_port())
    made.ready()
    yield made
    made.stop()


@pytest.fixture
def terraform(tmp_path: Path) -> Path:
    """A folder in which it finds its provider."""
    if shutil.which("terraform") is None:
        pytest.skip("terraform is not installed")
    folder = tmp_path / "terraform"
    folder.mkdir()
    (folder / "main.tf.json").write_text(json.dumps(configuration("http://127.0.0.1:1/v1", 8)))
    if subprocess.run(["terraform", "init", "-input=false"], cwd=folder, capture_output=True).returncode:
        pytest.skip("terraform has no provider for AWS")
    return folder


def test_a_stack_lives(server: Server, terraform: Path) -> None:
    keys = new_keys(server)
    url = f"http://127.0.0.1:{server.port + 1}/v1"
    known = {"AWS_ACCESS_KEY_ID": keys.access, "AWS_SECRET_ACCESS_KEY": keys.secret}

    def run(*words: str) -> str:
        ran = subprocess.run(
            ["terraform", *words], cwd=terraform, env={**os.environ, **known}, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    for length in (8, 12):
        (terraform / "main.tf.json").write_text(json.dumps(configuration(url, length)))
        run("apply", "-auto-approve", "-input=false")
        assert json.loads(run("output", "-json"))["length"]["value"] == str(length)
    assert "No changes" in run("plan", "-input=false")
    run("destroy", "-auto-approve", "-input=false")
    assert "terraform" not in get(keys, f"{url}/", Action="ListStacks").text
