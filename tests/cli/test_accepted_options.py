"""Every option of the two clients that people come from is understood, and none of them means something else."""

from __future__ import annotations

import shlex

import pytest

from calor.cli.legacy import COMMANDS
from calor.cli.main import parse

# In the words of the OpenStack client.
PRESENT = """
stack create N -t T -e E -e F -s C --timeout 5 --pre-create R --enable-rollback --parameter a=b
stack create N --template T --environment E --files-container C --parameter-file k=f --dry-run
stack create N -t T --wait --poll 5 --tags a,b
stack update S -t T -e E -s C --pre-update R --timeout 5 --rollback enabled --dry-run --show-nested
stack update S --parameter a=b --parameter-file k=f --existing --clear-parameter P --tags a --wait --converge
stack show S --no-resolve-outputs
stack list --deleted --nested --hidden --property a=b --project P --project-domain D --tags a --tag-mode not-any
stack list --limit 5 --marker M --sort name:asc,status --all-projects --short
stack list --long
stack delete S T -y --wait
stack delete S --yes
stack adopt N -e E --timeout 5 --enable-rollback --parameter a=b --wait --adopt-file F
stack abandon S --output-file F
stack export S --output-file F
stack cancel S T --wait --no-rollback
stack check S T --wait
stack suspend S T --wait
stack resume S T --wait
stack template show S
stack environment show S
stack file list S
stack output list S
stack output show S O
stack output show S --all
stack resource list S --long -n 2 --filter a=b
stack resource list S --nested-depth 2
stack resource show S R --with-attr A --with-attr B
stack resource metadata S R
stack resource signal S R --data {} --data-file F
stack resource mark unhealthy S R reason --reset
stack event list S --resource R --filter a=b --limit 5 --marker M --nested-depth 2 --sort event_time:asc --follow
stack event show S R E
stack failures list S --long
stack hook poll S --nested-depth 2
stack hook clear S --pre-create --pre-update --pre-delete R a/b
stack snapshot create S --name N
stack snapshot list S
stack snapshot show S I
stack snapshot delete S I -y
stack snapshot restore S I
orchestration build info
orchestration service list
orchestration resource type list --filter name=x --long
orchestration resource type show T --template-type hot --long
orchestration template validate -t T -e E --show-nested --parameter a=b -s C --ignore-errors a,b
orchestration template version list
orchestration template function list V --with_conditions
software config create N --config-file F --definition-file D --group G
software config list --limit 5 --marker M
software config show I --config-only
software config delete I J
software deployment create N --input-value a=b --action A --config C --signal-transport NO_SIGNAL --server S
software deployment create N --container C --timeout 5 --server S
software deployment list --server S --long
software deployment show I --long
software deployment delete I J
software deployment metadata show S
software deployment output show I O --all --long
"""

# In those of the old client.
OLD = """
action-check S
action-resume S
action-suspend S
build-info
config-create -f D -c F -g G N
config-create --definition-file D --config-file F --group G N
config-delete I J
config-list -l 5 -m M
config-list --limit 5 --marker M
config-show I -c
config-show I --config-only
deployment-create -i a=b -a A -c C -s S -t NO_SIGNAL --container X --timeout 5 N
deployment-create --input-value a=b --action A --config C --server S --signal-transport TEMP_URL_SIGNAL N
deployment-delete I J
deployment-list -s S
deployment-list --server S
deployment-metadata-show I
deployment-output-show I O -a -F json
deployment-output-show I --all --format raw
deployment-show I
event S R E
event-list S -r R -f a=b;c=d -l 5 -m M -n 2 -F log
event-list S --resource R --filters a=b --limit 5 --marker M --nested-depth 2 --format table
event-show S R E
hook-clear S --pre-create --pre-update --pre-delete R Q
hook-poll S -n 2
hook-poll S --nested-depth 2
output-list S
output-show S O -F json --with-detail
output-show S -a --format raw
resource-list S -n 2 --with-detail -f a=b
resource-list S --nested-depth 2 --filter a=b
resource-mark-unhealthy S R reason --reset
resource-metadata S R
resource-show S R -a A
resource-show S R --with-attr A
resource-signal S R -D {} -f F
resource-signal S R --data {} --data-file F
resource-template T -t hot -F yaml
resource-type-list -f name=x;version=y
resource-type-list --filters name=x
resource-type-show T
resource-type-template T --template-type cfn --format json
service-list
snapshot-delete S I -y
snapshot-delete S I --yes
snapshot-list S
snapshot-show S I
stack-abandon -O F S
stack-abandon --output-file F S
stack-adopt -e E -c 5 -t 5 -a F -r -P a=b N
stack-adopt --environment-file E --create-timeout 5 --timeout 5 --adopt-file F --enable-rollback --parameters a=b N
stack-cancel-update S
stack-create -f T -e E --pre-create R -c 5 -t 5 -r -P a=b -Pf k=f --poll 5 N --tags a,b
stack-create -u T --environment-file E --create-timeout 5 --enable-rollback --parameters a=b --parameter-file k=f N
stack-create -o T N --poll
stack-create --template-file T N
stack-create --template-url T N
stack-create --template-object T N
stack-delete S T -y
stack-delete S --yes
stack-list -s -n -a -f a=b -t a -l 5 -m M -k stack_name;id -d asc -g -o
stack-list --show-deleted --show-nested --show-hidden --filters a=b --tags a --tags-any a --not-tags a --not-tags-any a
stack-list --limit 5 --marker M --sort-keys stack_name --sort-dir desc --global-tenant --show-owner
stack-preview -f T -e E -t 5 -r -P a=b -Pf k=f N --tags a
stack-preview -u T --timeout 5 --enable-rollback --parameters a=b --parameter-file k=f N
stack-preview -o T N
stack-restore S I
stack-show S --no-resolve-outputs
stack-snapshot S -n N
stack-snapshot S --name N
stack-update -f T -e E --pre-update R -t 5 --rollback True -y -n -P a=b -Pf k=f -x -c P S --tags a
stack-update -u T --timeout 5 --dry-run --show-nested --parameters a=b --parameter-file k=f S
stack-update -o T --existing --clear-parameter P S
template-function-list V
template-show S
template-validate -u T -e E -n -P a=b -I a,b
template-validate -f T --environment-file E --show-nested --parameters a=b --ignore-errors a
template-validate -o T
template-version-list
"""


def cases(text: str) -> list[str]:
    return text.strip().splitlines()


@pytest.mark.parametrize("line", cases(PRESENT))
def test_present_words(line: str) -> None:
    assert callable(parse(shlex.split(line)).run)


@pytest.mark.parametrize("before", [[], ["heat"]])
@pytest.mark.parametrize("line", cases(OLD))
def test_old_words(before: list[str], line: str) -> None:
    # A semicolon ends a command in a shell, unless it is quoted.
    arguments = parse([*before, *shlex.split(line.replace(";", "\\;"))])

    assert arguments.legacy


def test_every_old_command_is_tried() -> None:
    assert {line.split()[0] for line in cases(OLD)} == {command.words[0] for command in COMMANDS}


def test_an_option_leads_to_the_same_in_both_spellings() -> None:
    old = vars(
        parse(shlex.split("heat stack-create -f T -e E -P a=b -Pf c=d -r -t 5 --tags x --pre-create R N"))
    )
    new = vars(
        parse(
            shlex.split(
                "stack create -t T -e E --parameter a=b --parameter-file c=d --enable-rollback --timeout 5 --tags x "
                "--pre-create R N"
            ),
        )
    )

    same = (
        "template",
        "environments",
        "parameters",
        "parameter_files",
        "enable_rollback",
        "timeout",
        "tags",
        "name",
    )
    assert {key: old[key] for key in same} == {key: new[key] for key in same}
    assert old["pre_create"] == new["pre_create"] == ["R"]


@pytest.mark.parametrize(
    "option", ["--os-auth-url", "--os-username", "--os-tenant-name", "--os-token", "--heat-url"]
)
def test_options_about_the_cloud_stand_anywhere(option: str) -> None:
    name = option[2:].replace("-", "_")

    assert getattr(parse(["stack", "list", option, "x"]), name) == "x"
    assert getattr(parse(["heat", option, "x", "stack-list"]), name) == "x"
