"""Warnings: what is allowed and probably not meant, each of them once where it is due and once where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Any

import pytest

from calor.cli.main import main
from calor.language.codes import CODES
from calor.language.diagnostics import Diagnostic, Report, Severity
from calor.language.lint import lint
from calor.language.reader import read_mapping
from calor.language.request import resolve_request
from calor.language.suppression import select
from tests.unit.language.resolving import WORLD, child

TEST = "OS::Heat::TestResource"
ALARM = "meter_name: m, threshold: 1"


def linted(
    template: str, *, version: str = "2021-04-16", files: dict[str, str] | None = None
) -> list[Diagnostic]:
    """All warnings, those of reading included."""
    report = Report()
    text = dedent(template)
    if "TemplateFormatVersion" not in text:
        text = f"heat_template_version: {version}\n{text}"
    source = read_mapping(text, "t.yaml", report)
    assert source is not None
    request = {"template": source.data, "files": {name: dedent(text) for name, text in (files or {}).items()}}
    definition = resolve_request(
        request, WORLD, report, name="t.yaml", sources={"t.yaml": source}, require_parameters=False
    )
    assert definition is not None
    report.extend(lint(definition))
    found = report.sorted()
    assert not [one for one in found if one.severity is Severity.ERROR], [one.full_message for one in found]
    return found


@dataclass(frozen=True)
class Pair:
    """A template that is warned about, and one as like it as can be that is not."""

    bad: str
    good: str
    version: str = "2021-04-16"
    alongside: tuple[str, ...] = ()
    """Other warnings that the bad one deserves."""


def resource(text: str) -> str:
    return f"resources: {{a: {{type: {TEST}}}, r: {text}}}"


PAIRS = {
    "W101": Pair(
        "outputs:\n  o: {value: 1}\n  o: {value: 2}\n", "outputs:\n  o: {value: 1}\n  p: {value: 2}\n"
    ),
    "W102": Pair("outputs: {o: {value: [22:30]}}", "outputs: {o: {value: ['22:30', 22:80]}}"),
    "W103": Pair("outputs: {o: {value: 1, valeu: 2}}", "outputs: {o: {value: 1, description: two}}"),
    "W201": Pair(
        "parameters: {p: {type: string, hidden: perhaps}}\noutputs: {o: {value: {get_param: p}}}",
        "parameters: {p: {type: string, hidden: 'no'}}\noutputs: {o: {value: {get_param: p}}}",
    ),
    "W301": Pair(
        "parameters: {p: {type: string}}",
        "parameters: {p: {type: json}}\noutputs: {o: {value: {list_join: ['', [{get_param: [p, a]}]]}}}",
    ),
    "W302": Pair(
        "conditions: {c: true}",
        f"conditions: {{c: true, d: {{not: c}}, e: true}}\n"
        f"resources: {{r: {{type: {TEST}, condition: {{and: [d, true]}}}}}}\n"
        "outputs: {o: {value: {if: [e, 1, 2]}}}",
    ),
    "W303": Pair(
        f"resources: {{r: {{type: OS::Aodh::Alarm, properties: {{{ALARM}}}}}}}",
        f"resources: {{r: {{type: {TEST}}}}}",
        alongside=("W312",),
    ),
    "W304": Pair(
        "resources: {r: {type: OS::Neutron::Pool}}",
        "resources: {r: {type: OS::Neutron::Net}}",
    ),
    "W312": Pair(
        "resources: {r: {type: OS::Zun::Container, properties: {image: i}}}",
        "resources: {r: {type: OS::Glance::WebImage, properties: "
        "{location: 'http://a/b', container_format: bare, disk_format: raw}}}",
    ),
    "W305": Pair(
        "resources: {r: {type: OS::Cinder::Volume, properties: {size: 1, imageRef: i}}}",
        "resources: {r: {type: OS::Cinder::Volume, properties: {size: 1, image: i}}}",
    ),
    "W306": Pair(
        "parameters: {p: {type: string, hidden: true}}\noutputs: {o: {value: {list_join: ['', [{get_param: p}]]}}}",
        "parameters: {p: {type: string}}\noutputs: {o: {value: {list_join: ['', [{get_param: p}]]}}}",
    ),
    "W307": Pair(
        resource(f"{{type: {TEST}, depends_on: a, properties: {{value: {{get_resource: a}}}}}}"),
        resource(f"{{type: {TEST}, depends_on: a}}"),
    ),
    "W308": Pair(
        "outputs: {o: {value: {str_split: [',', 'a,b']}}}",
        "outputs: {o: {value: {list_join: [',', [a]]}}}",
        version="2014-10-16",
    ),
    "W309": Pair(
        "resources: {r: {type: x.yaml}}\noutputs: {o: {value: {get_attr: [r, adress]}}}",
        "resources: {r: {type: x.yaml}}\n"
        "outputs: {o: {value: [{get_attr: [r, address]}, {get_attr: [r, resource.s]}]}}",
    ),
    "W310": Pair(
        "resources: {r: {type: OS::Heat::StructuredDeploymentsGroup, properties: {servers: {}, config: c}}}",
        "resources: {r: {type: OS::Heat::StructuredDeploymentGroup, properties: {servers: {}, config: c}}}",
    ),
    "W311": Pair("outputs: {o: {value: {get_parm: x}}}", "outputs: {o: {value: {parameter: x}}}"),
}
X = child("outputs: {address: {value: 1}}")


def codes(pair: Pair, text: str) -> list[str]:
    return [found.code for found in linted(text, version=pair.version, files={"x.yaml": X})]


@pytest.mark.parametrize("code", sorted(code for code in CODES if code.startswith("W")))
def test_warned_about_where_it_is_due_and_only_there(code: str) -> None:
    pair = PAIRS[code]

    assert codes(pair, pair.bad) == [code, *pair.alongside]
    assert codes(pair, pair.good) == []


class TestWhereAndHow:
    def only(self, text: str, **options: Any) -> Diagnostic:
        (found,) = linted(text, **options)
        return found

    def test_a_function_of_a_later_version_names_the_version(self) -> None:
        found = self.only("outputs: {o: {value: {contains: [a, [a]]}}}", version="2016-10-14")

        assert found.hint == "use `heat_template_version: 2017-09-01` or later"
        assert found.path == "outputs.o.value.contains"

    def test_a_misspelt_function_shows_which_may_be_meant(self) -> None:
        assert self.only("outputs: {o: {value: {get_atr: [a, b]}}}").hint == "did you mean `get_attr`?"

    def test_an_unknown_output_of_a_template_shows_which_may_be_meant(self) -> None:
        found = self.only(
            "resources: {r: {type: x.yaml}}\noutputs: {o: {value: {get_attr: [r, adress]}}}",
            files={"x.yaml": X},
        )

        assert found.hint == "did you mean `address`?"

    def test_a_type_that_is_no_longer_offered_names_its_substitute(self) -> None:
        found = self.only(
            "resources: {r: {type: OS::Heat::SoftwareDeployments, properties: {servers: {}, config: c}}}"
        )

        assert (found.code, found.hint) == ("W304", "use OS::Heat::SoftwareDeploymentGroup")

    def test_the_place_of_a_needless_dependency_is_its_name(self) -> None:
        found = self.only(
            f"""\
            resources:
              a: {{type: {TEST}}}
              b: {{type: {TEST}}}
              r:
                type: {TEST}
                depends_on:
                  - b
                  - a
                properties: {{value: {{get_attr: [a, output]}}}}
            """
        )

        assert str(found.where) == "t.yaml:9:9"

    def test_discouraged_properties_are_found_at_any_depth(self) -> None:
        found = self.only(
            """\
            resources:
              r:
                type: OS::Nova::Server
                properties:
                  flavor: f
                  image: i
                  networks:
                    - {network: n}
                    - {uuid: m}
            """
        )

        assert (found.code, found.path) == ("W305", "resources.r.properties.networks[1].uuid")

    def test_discouraged_attributes(self) -> None:
        found = self.only(
            """\
            resources: {r: {type: OS::Cinder::Volume, properties: {size: 1}}}
            outputs: {o: {value: {get_attr: [r, attachments]}}}
            """
        )

        assert (found.code, found.path) == ("W305", "outputs.o.value.get_attr")

    def test_parameters_count_as_used_in_conditions_and_below_other_functions(self) -> None:
        assert not linted(
            """\
            parameters: {p: {type: string}, q: {type: string}, r: {type: string}}
            conditions: {c: {equals: [{get_param: p}, x]}}
            resources: {s: {type: OS::Heat::TestResource, condition: c, metadata: {m: [{get_param: q}]}}}
            outputs: {o: {value: {if: [c, 1, {get_param: r}]}}}
            """
        )

    def test_in_the_cloudformation_format(self) -> None:
        found = linted(
            """\
            AWSTemplateFormatVersion: 2010-09-09
            Parameters: {Used: {Type: String}, Unused: {Type: String}}
            Conditions: {Unused: {'Fn::Equals': [{Ref: Used}, a]}}
            """
        )

        assert [(one.code, one.path) for one in found] == [
            ("W301", "Parameters.Unused"),
            ("W302", "Conditions.Unused"),
        ]

    def test_nested_templates_are_looked_at_too_and_each_once(self) -> None:
        inner = child("parameters: {unused: {type: string, default: x}}")
        (found,) = linted("resources: {r: {type: x.yaml}, s: {type: x.yaml}}", files={"x.yaml": inner})

        assert found.code == "W301"
        assert found.where is not None
        assert found.where.file == "x.yaml"


class TestSelection:
    TEXT = """\
        heat_template_version: 2021-04-16
        parameters:
          one: {type: string}  # calor: ignore=W301
          two: {type: string}  # calor: ignore=W302
          three: {type: string}  #calor:ignore=W999, W301
          four: {type: string}  # calor: ignore
        conditions:
          c: true
        outputs:
          o: {value: 1, extra: 2}
        """

    @pytest.fixture
    def path(self, tmp_path: Any) -> str:
        path = tmp_path / "t.yaml"
        path.write_text(dedent(self.TEXT))
        return str(path)

    def lines(self, path: str, capsys: pytest.CaptureFixture[str], *options: str) -> list[tuple[int, str]]:
        main(["template", "validate", path, "--format", "plain", *options])
        found = []
        for line in capsys.readouterr().out.splitlines()[:-1]:
            place, severity, code, *_ = line.split()
            assert severity == "warning"
            found.append((int(place.split(":")[-3]), code))
        return found

    def test_a_comment_leaves_out_what_it_names_on_its_line(
        self, path: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.lines(path, capsys) == [(4, "W301"), (6, "W301"), (8, "W302"), (10, "W103")]

    def test_select(self, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.lines(path, capsys, "--select", "W302") == [(8, "W302")]
        assert self.lines(path, capsys, "--select", "W1", "--select", "W302") == [(8, "W302"), (10, "W103")]
        assert self.lines(path, capsys, "--select", "E") == []

    def test_ignore(self, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.lines(path, capsys, "--ignore", "W3") == [(10, "W103")]
        assert self.lines(path, capsys, "--ignore", "W") == []

    def test_select_and_ignore(self, path: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert self.lines(path, capsys, "--select", "W3", "--ignore", "W301") == [(8, "W302")]

    def test_errors_can_be_left_out_as_well(self) -> None:
        source = read_mapping("a: 1\nb: 2  # calor: ignore=E111\n", "t.yaml", Report())
        assert source is not None
        report = Report(source.place)
        report.error("E111", "first", ("a",))
        report.error("E111", "second", ("b",))

        assert [found.message for found in select(report, {"t.yaml": source})] == ["first"]

    def test_what_has_no_place_stays(self) -> None:
        report = Report()
        report.error("E111", "somewhere")

        assert len(select(report, {})) == 1
