"""Completion in shells."""

from __future__ import annotations

import pytest

from calor.cli.completion import candidates
from tests.cli.invocation import Run
from tests.support.requirements import need


def words(*line: str) -> list[str]:
    return [word for word, _ in candidates(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (("sta",), ["stack"]),
        (("stack", "cr"), ["create"]),
        (("stack", "event", ""), ["list", "show"]),
        (("stack", "create", "--enable"), ["--enable-rollback"]),
        (("stack", "list", "--format", ""), ["csv", "json", "table", "value", "yaml"]),
        (("stack", "list", "--tag-mode", "not"), ["not", "not-any"]),
        (("completion", ""), ["bash", "fish", "zsh"]),
        (("stack-cr",), ["stack-create"]),
        (("stack-create", "--template-f"), ["--template-file"]),
        (("template", "val"), ["validate"]),
        (("stack", "create", "-t", ""), []),
        (("stack", "nothing", "x"), []),
    ],
)
def test_what_may_follow(line: tuple[str, ...], expected: list[str], clean_environment: None) -> None:
    assert words(*line) == expected


def test_stacks_are_completed_by_name(calor: Run, stack: str) -> None:
    assert stack in words("stack", "show", stack[:6])
    assert stack in words("stack", "delete", "other", stack[:6])
    assert stack in words("stack-show", stack[:6])


def test_a_service_that_does_not_answer_is_ignored(clean_environment: None) -> None:
    assert words("stack", "show", "") == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(calor: Run, name: str) -> None:
    ran = calor("completion", name)

    assert ran.code == 0
    assert "__complete" in ran.out


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_can_read_their_script(shell: Run, name: str) -> None:
    need(name)

    assert shell(f"calor completion {name} > script && {name} -n script").err == ""


def test_bash_completes(shell: Run) -> None:
    ran = shell(
        "source <(calor completion bash); COMP_WORDS=(calor stack sus); COMP_CWORD=2; _calor_complete; "
        'echo "${COMPREPLY[@]}"; complete -p'
    )

    # `heat` may be the program of another package.
    assert ran.lines == ["suspend", "complete -F _calor_complete calor"]


def test_for_those_who_type_heat_old_commands_are_completed(shell: Run) -> None:
    ran = shell(
        "source <(calor completion bash); COMP_WORDS=(heat stack-li); COMP_CWORD=1; _calor_complete; "
        'echo "${COMPREPLY[@]}"; COMP_WORDS=(calor heat snap); COMP_CWORD=2; _calor_complete; echo "${COMPREPLY[@]}"'
    )

    assert ran.lines == ["stack-list", "snapshot-delete snapshot-list snapshot-show"]


def test_bash_completes_files_where_nothing_else_is_known(shell: Run) -> None:
    ran = shell(
        "source <(calor completion bash); COMP_WORDS=(calor stack create -t out); COMP_CWORD=4; _calor_complete; "
        'echo "${COMPREPLY[@]}"'
    )

    assert ran.lines == ["outer.yaml"]
