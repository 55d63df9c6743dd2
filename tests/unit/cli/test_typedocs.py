"""What `type_page` and `type_table` tell about types."""

from textwrap import dedent

import pytest

from calor.cli.typedocs import example, type_page, type_table
from calor.language.constraints import custom, length, modulo, one_of, pattern, range_
from calor.language.diagnostics import Report
from calor.language.request import resolve_request
from calor.language.schema import SHOW, AtLeastOne, Attribute, Property, deprecated, hidden, supported
from calor.resources.contract import ResourceType
from calor.types import catalogue
from calor.types.world import offline_world


class Kettle(ResourceType):
    """Boils water. Needs a socket.

    It switches itself off, as soon as
    the water boils.
    """

    type_name = "Kitchen::Kettle"
    support = supported("3.0.0")
    service = "kitchen"
    extension = "hot-drinks"
    properties = {
        "colour": Property(str, "What it looks like.", default="red", constraints=[one_of("red", "blue")]),
        "litres": Property(
            float, "How much goes in.", required=True, update_allowed=True, constraints=[range_(0, 2)]
        ),
        "cups": Property(
            list,
            items=Property(
                dict,
                fields={
                    "owner": Property(str, required=True, constraints=[length(min=1)]),
                    "big": Property(bool),
                },
            ),
        ),
        "volume": Property(float, "Old name of litres.", support=deprecated("2.0.0", substitute="litres")),
        "serial": Property(str, immutable=True, constraints=[pattern("[0-9]+"), custom("kitchen.serial")]),
    }
    attributes = {"temperature": Attribute(int, "How hot it is.", live=True), "show": SHOW}
    update_policy = {"pause": Property(int, "Seconds to wait.", default=0, constraints=[modulo(2, 1)])}


class Stove(ResourceType):
    type_name = "Kitchen::Stove"
    support = hidden("4.0.0")


def page(type_name: str, width: int = 100) -> str:
    declaration = catalogue.declaration(type_name)
    assert declaration is not None
    return type_page(declaration, color=False, width=width)


def test_a_page_shows_all_of_a_declaration() -> None:
    assert type_page(Kettle, color=False, width=60) == dedent("""\
        Kitchen::Kettle  supported since 3.0.0

        Boils water. Needs a socket.

        It switches itself off, as soon as the water boils.

        Needs the service kitchen with the extension hot-drinks.

        Properties
          litres  number, required, updates in place
              How much goes in.
              0 to 2
          colour  string, default red, replaces the resource
              What it looks like.
              one of red, blue
          cups  list of maps, replaces the resource
              owner  string, required
                  length: at least 1
              big  boolean
          serial  string, never changes
              matches [0-9]+
              checked as kitchen.serial
          volume  number, replaces the resource, deprecated since 2.0.0, use litres
              Old name of litres.

        Update policy
          pause  integer, default 0
              Seconds to wait.
              a multiple of 2 plus 1

        Attributes
          temperature  integer
              How hot it is.
          show  map
              All that the service returns for the resource.

        Example
          resources:
            my_kettle:
              type: Kitchen::Kettle
              properties:
                litres: 0""")


def test_the_page_of_a_server_shows_what_it_needs() -> None:
    server = page("OS::Nova::Server")
    assert server.startswith("OS::Nova::Server  supported\n")
    assert "\nNeeds the service nova.\n" in server
    assert "\n  flavor  string, required, updates in place\n" in server
    assert "\n      checked as nova.flavor\n" in server
    assert "\n  personality  map, default {}, replaces the resource, deprecated since 12.0.0\n" in server
    assert server.endswith("  properties:\n        flavor: <flavor>")


def test_the_page_of_a_random_string_shows_nested_fields() -> None:
    random_string = page("OS::Heat::RandomString")
    assert "\n  length  integer, default 32, replaces the resource\n" in random_string
    assert (
        "\n      sequence  string, required\n          The characters, one after the other.\n"
        in random_string
    )
    assert random_string.index("\n  salt  ") < random_string.index("\n  sequence  "), "hidden ones come last"


def test_docs_are_wrapped_to_the_width() -> None:
    docs = [
        line for line in page("OS::Heat::RandomString", width=60).splitlines() if line.startswith("      ")
    ]
    assert max(map(len, docs)) <= 60


@pytest.mark.parametrize("type_name", catalogue.names())
def test_every_type_has_a_page_and_an_example_without_unknown_or_missing_properties(type_name: str) -> None:
    assert page(type_name).startswith(type_name)
    declaration = catalogue.declaration(type_name)
    assert declaration is not None
    report = Report()
    resolve_request(
        {"template": f"heat_template_version: 2021-04-16\n{example(declaration)}"}, offline_world(), report
    )
    assert not {"E101", "E410", "E412"} & {found.code for found in report}


def test_an_example_has_one_of_the_properties_of_which_one_is_needed() -> None:
    class Either(ResourceType):
        type_name = "Kitchen::Either"
        properties = {"tea": Property(list, items=Property(str)), "coffee": Property(str)}
        rules = [AtLeastOne(("tea", "coffee"))]

    assert example(Either).endswith("    properties:\n      tea:\n        - <tea>")


def test_a_table_has_a_line_for_each_type_that_is_not_hidden() -> None:
    assert type_table([Kettle, Stove]) == "Kitchen::Kettle  Boils water"


def test_hidden_types_are_listed_on_request() -> None:
    assert type_table([Kettle, Stove], hidden=True) == dedent("""\
        Kitchen::Kettle  Boils water
        Kitchen::Stove   hidden:""")


def test_a_summary_is_cut_at_the_width() -> None:
    table = type_table(
        [declaration for name in catalogue.names() if (declaration := catalogue.declaration(name))]
    )
    assert max(map(len, table.splitlines())) <= 100


def test_colours_only_when_asked_for() -> None:
    assert "\x1b[1mlitres\x1b[0m" in type_page(Kettle, color=True, width=60)
    assert "\x1b" not in type_page(Kettle, color=False, width=60)
