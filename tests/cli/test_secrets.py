"""Secrets are printed only for those who ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.invocation import Run

TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  length: {type: number, default: 20}
resources:
  key:
    type: OS::Nova::KeyPair
    properties: {name: secrets-of-the-command, save_private_key: true}
  word: {type: OS::Heat::RandomString, properties: {length: {get_param: length}}}
  user:
    type: OS::Heat::TestResource
    properties:
      value:
        str_replace:
          template: login WORD LENGTH
          params: {WORD: {get_attr: [word, value]}, LENGTH: {get_param: length}}
outputs:
  private_key: {value: {get_attr: [key, private_key]}}
  word: {value: {get_attr: [word, value]}}
  open: {value: {get_attr: [key, public_key]}}
"""


@pytest.fixture
def secretive(calor: Run, templates: Path) -> Iterator[str]:
    (templates / "secrets.yaml").write_text(TEMPLATE)
    yield "secretive"
    calor("stack", "delete", "--yes", "secretive")


def test_outputs_are_masked_unless_they_are_asked_for(calor: Run, secretive: str) -> None:
    made = calor("stack", "create", "-t", "secrets.yaml", secretive)

    assert made.code == 0, made.err
    assert "  private_key = ******" in made.lines
    assert "  word = ******" in made.lines
    assert "PRIVATE KEY" not in made.out
    assert "  open = ssh-" in made.out
    assert "`calor stack output show secretive NAME`" in made.err

    key = calor("stack", "output", "show", secretive, "private_key", "-f", "value").out
    word = calor("stack", "output", "show", secretive, "word", "-f", "value").out.strip()
    assert "PRIVATE KEY" in key
    assert len(word) == 20

    for words in (("stack", "show", secretive), ("stack", "output", "show", "--all", secretive)):
        for form in ("table", "json", "yaml", "value", "csv"):
            masked = calor(*words, "-f", form).out
            assert "PRIVATE KEY" not in masked
            assert word not in masked
            assert word in calor(*words, "-f", form, "--show-secrets").out
    assert word in calor("stack", "check", secretive, "--show-secrets").out
    assert word not in calor("stack", "check", secretive).out

    show = ("stack", "resource", "show", secretive, "key", "--with-attr", "private_key", "-f", "json")
    attributes = json.loads(calor(*show).out)["attributes"]
    assert attributes["private_key"] == "******"
    assert attributes["public_key"].startswith("ssh-")
    assert "PRIVATE KEY" in json.loads(calor(*show, "--show-secrets").out)["attributes"]["private_key"]
    assert word not in calor("stack", "resource", "list", "--long", secretive).out

    update = ("stack", "update", "-t", "secrets.yaml", "-P", "length=21", secretive, "--dry-run")
    plan = calor(*update).out
    assert word not in plan
    assert 'value: "login ****** 20" →' in plan
    assert f'value: "login {word} 20" →' in calor(*update, "--show-secrets").out
    changes = next(
        one["changes"]
        for one in json.loads(calor(*update, "-f", "json").out)
        if one["resource_name"] == "user"
    )
    assert changes[0]["before"] == "login ****** 20"


def test_the_old_spelling_prints_what_the_old_client_did(calor: Run, heat: Run, secretive: str) -> None:
    assert calor("stack", "create", "-t", "secrets.yaml", secretive).code == 0

    assert "PRIVATE KEY" in heat("stack-show", secretive).out
    assert "PRIVATE KEY" in heat("output-show", secretive, "private_key").out
