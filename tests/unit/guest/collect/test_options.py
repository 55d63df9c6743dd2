"""Settings of os-collect-config: flags, files and defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from calor_guest.collect import ini
from calor_guest.collect.options import COLLECTORS, config_files, read

FILE = """
# comment
[DEFAULT]
command = os-refresh-config --timeout 5
collectors = ec2
collectors: heat
polling-interval = 7
unheard = 1
one_time = Yes
[heat]
password = "p = q # r"
auth_url = http://a:5000/v3
[local]
path = /a
    /b
"""


def test_files_and_flags(tmp_path: Path) -> None:
    file = tmp_path / "conf"
    file.write_text(FILE)
    settings = read(["--config-file", str(file), "-i", "9", "--heat-auth-url", "http://b", "--noone-time"])
    general = settings.general
    assert general.text("command") == "os-refresh-config --timeout 5"
    assert general.many("collectors") == ["ec2", "heat"]
    assert general.number("polling_interval") == 9
    assert not general.flag("one_time")
    heat = settings.section("heat")
    assert (heat.text("password"), heat.text("auth_url")) == ("p = q # r", "http://b")
    assert settings.section("local").many("path") == ["/a\n/b"]
    assert settings.files == {str(file): FILE}


def test_defaults() -> None:
    settings = read(["--config-file", "/dev/null"])
    general = settings.general
    assert general.many("collectors") == list(COLLECTORS)
    assert (general.number("min_polling_interval"), general.number("polling_interval")) == (1, 30)
    assert general.text("command") is None
    assert settings.section("heat_local").many("path") == ["/var/lib/heat-cfntools/cfn-init-data"]
    assert settings.section("cfn").text("metadata_url") is None


def test_collectors_on_the_command_line_replace_those_of_files(tmp_path: Path) -> None:
    file = tmp_path / "conf"
    file.write_text(FILE)
    assert read(["--config-file", str(file), "local", "cfn"]).general.many("collectors") == ["local", "cfn"]


def test_later_files_have_precedence(tmp_path: Path) -> None:
    (tmp_path / "first").write_text("[DEFAULT]\nsplay = 1\ncommand = a\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "10.conf").write_text("[DEFAULT]\nsplay = 2\n")
    general = read(["--config-file", str(tmp_path / "first"), "--config-dir", str(tmp_path / "d")]).general
    assert (general.number("splay"), general.text("command")) == (2, "a")


@pytest.mark.parametrize(
    "text",
    [
        "[DEFAULT]\nsplay = soon\n",
        "[DEFAULT]\nsplay = nan\n",
        "[broken\n",
        "[DEFAULT]\nforce = perhaps\n",
        "word\n",
    ],
)
def test_mistakes_in_files_name_the_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "conf"
    file.write_text(text)
    with pytest.raises(ValueError, match=str(file)):
        read(["--config-file", str(file)])


def test_a_missing_file_is_a_mistake_only_if_the_command_line_names_it() -> None:
    with pytest.raises(ValueError, match="does not exist"):
        config_files(["/no/such/file"], [])
    assert set(config_files(None, [])) == {"/etc/os-collect-config.conf"}


def test_sections_are_case_sensitive_and_may_be_repeated() -> None:
    assert ini.parse("[a]\nx=1\n[b]\n[a]\nx=2\ny-z=:\n") == {"a": {"x": ["1", "2"], "y_z": [":"]}}
