"""What is wrong with the members of a group is told at the place where their definition is written, once."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from calor.language.lint import lint
from tests.unit.language.resolving import Resolved, resolve


def places(resolved: Resolved) -> list[tuple[str, int]]:
    return [(one.code, one.where.line) for one in resolved.errors if one.where is not None]


def with_member(group: str, properties: str) -> str:
    return f"resources:\n  g:\n    type: {group}\n    properties:\n{indent(dedent(properties), ' ' * 6)}"


MEMBER = """
type: OS::Heat::TestResource
properties:
  value: x
  wait_secs: abc
  valu: y
"""


@pytest.mark.parametrize(
    ("group", "start"),
    [
        ("OS::Heat::ResourceGroup", "count: 3\nremoval_policies: []\nresource_def:"),
        ("OS::Heat::AutoScalingGroup", "min_size: 2\nmax_size: 3\nresource:"),
    ],
)
class TestDefinitions:
    def test_a_wrong_property_is_found_in_its_line(self, group: str, start: str) -> None:
        resolved = resolve(with_member(group, f"{start}{indent(MEMBER, '  ')}"))

        # Line 1 is the version, 5 the properties.
        assert places(resolved) == [("E414", 12), ("E410", 13)]

    def test_a_wrong_type_is_found_in_its_line(self, group: str, start: str) -> None:
        resolved = resolve(with_member(group, f"{start}\n  type: OS::Heat::TestResourc\n"))

        assert places(resolved) == [("E401", 9)]

    def test_what_is_within_a_property_is_found_there(self, group: str, start: str) -> None:
        port = "\n  type: OS::Neutron::Port\n  properties:\n    network: n\n    fixed_ips:\n    - {ip_address: 9.9.9}\n"
        [found] = resolve(with_member(group, f"{start}{port}")).errors

        assert (found.code, str(found.where).partition(":")[2]) == ("E415", "13:26")
        assert found.path.endswith(".properties.fixed_ips[0].ip_address")

    def test_in_a_group_of_groups_as_well(self, group: str, start: str) -> None:
        inner = f"type: {group}\nproperties:\n{indent(start, '  ')}{indent(MEMBER, '    ')}"
        resolved = resolve(with_member(group, f"{start}\n{indent(inner, '  ')}"))

        assert places(resolved) == [("E414", 17), ("E410", 18)]

    def test_a_warning_is_reported_once(self, group: str, start: str) -> None:
        member = "\n  type: OS::Heat::TestResource\n  properties:\n    value: {get_paramm: x}\n"
        resolved = resolve(with_member(group, f"{start}{member}"))

        assert [one.code for one in lint(resolved.stack)] == ["W311"]


def test_a_definition_that_a_function_makes_has_its_own_place() -> None:
    resolved = resolve(
        """\
        parameters:
          what: {type: json, default: {type: OS::Heat::TestResource, properties: {valu: x}}}
        resources:
          g:
            type: OS::Heat::ResourceGroup
            properties:
              resource_def: {get_param: what}
        """
    )

    assert places(resolved) == [("E410", 8)]


def test_members_that_are_templates_have_their_own_lines() -> None:
    resolved = resolve(
        with_member("OS::Heat::ResourceGroup", "resource_def: {type: x.yaml}"),
        files={
            "x.yaml": "heat_template_version: 2018-08-31\nresources:\n  a: {type: OS::Heat::TestResourc}\n"
        },
    )

    [found] = resolved.errors
    assert found.where is not None
    assert (found.where.file, found.where.line) == ("x.yaml", 3)


def test_a_chain_has_the_properties_of_its_members_in_one_place() -> None:
    resolved = resolve(
        with_member(
            "OS::Heat::ResourceChain",
            """\
            resources: [OS::Heat::TestResource, OS::Heat::TestResource]
            resource_properties:
              value: x
              wait_secs: abc
            """,
        )
    )

    assert places(resolved) == [("E414", 9)]
