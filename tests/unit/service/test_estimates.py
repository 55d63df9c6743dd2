"""What the resources of a plan cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calor.language.parameters import StackIdentity
from calor.plan.forecasting import forecast
from calor.plan.present import PresentStack
from calor.service.estimates import MOST_LINES, Estimate, estimate
from calor.service.previews.present import means_of
from calor.service.prices import PriceList, PricesUnusable, read_prices
from calor.stacks import definitions
from calor.types.world import offline_world

PRICES = PriceList(
    "EUR",
    servers={"small": 0.01, "*": 0.1},
    volumes={"ssd": 0.2, "*": 0.05},
    resources={"OS::Neutron::FloatingIP": 0.002},
)


def estimated(resources: dict[str, Any], prices: PriceList = PRICES) -> Estimate:
    world = offline_world()
    request = {"template": {"heat_template_version": "2021-04-16", "resources": resources}}
    definition, report = definitions.define(request, world, StackIdentity("s", None, "p"))
    assert definition is not None, list(report)
    nothing = PresentStack("None", "s", "p", exists=False)
    return estimate(forecast(definition, nothing, None, means_of(world, request)), prices)


def lines(found: Estimate) -> dict[str, tuple[float, float]]:
    return {f"{one.kind} {one.name}".strip(): (one.amount, round(one.monthly, 4)) for one in found.lines}


def server(flavor: str) -> dict[str, Any]:
    return {"type": "OS::Nova::Server", "properties": {"flavor": flavor, "image": "i"}}


def test_servers_cost_by_flavor_and_hour() -> None:
    found = estimated({"a": server("small"), "b": server("small"), "c": server("huge")})
    assert lines(found) == {"OS::Nova::Server small": (2, 14.6), "OS::Nova::Server huge": (1, 73.0)}
    assert round(found.monthly, 4) == 87.6


def test_volumes_cost_by_type_and_gigabyte() -> None:
    def volume(**properties: object) -> dict[str, Any]:
        return {"type": "OS::Cinder::Volume", "properties": properties}

    found = estimated(
        {"a": volume(size=10), "b": volume(size=5, volume_type="ssd"), "c": volume(snapshot_id="s")}
    )
    assert lines(found) == {"OS::Cinder::Volume ssd": (5, 1.0), "OS::Cinder::Volume": (10, 0.5)}


def test_other_resources_cost_by_type() -> None:
    found = estimated(
        {
            "ip": {"type": "OS::Neutron::FloatingIP", "properties": {"floating_network": "public"}},
            "net": {"type": "OS::Neutron::Net"},
        }
    )
    assert lines(found) == {"OS::Neutron::FloatingIP": (1, 1.46), "OS::Neutron::Net": (1, 0)}


def test_members_of_groups_are_counted() -> None:
    group = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 3, "resource_def": server("small")}}
    assert lines(estimated({"g": group})) == {"OS::Nova::Server small": (3, 21.9)}


def test_without_a_list_everything_is_free() -> None:
    found = estimated({"a": server("small")}, PriceList())
    assert (found.priced, found.monthly, lines(found)) == (False, 0, {"OS::Nova::Server small": (1, 0)})


def test_many_lines_are_added_up() -> None:
    found = estimated({f"s{number}": server(f"f{number}") for number in range(MOST_LINES + 5)})
    assert len(found.lines) == MOST_LINES
    assert (found.lines[-1].kind, found.lines[-1].amount) == ("others", 6)
    assert round(found.monthly, 4) == round((MOST_LINES + 5) * 73.0, 4)


class TestLists:
    def read(self, tmp_path: Path, text: str) -> PriceList:
        file = tmp_path / "prices.yaml"
        file.write_text(text)
        return read_prices(file)

    def test_one(self, tmp_path: Path) -> None:
        text = 'currency: EUR\nservers: {small: 1, "*": 0.5}\nvolumes: {}\n'
        assert self.read(tmp_path, text) == PriceList("EUR", {"small": 1.0, "*": 0.5})

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("{", "expected"),
            ("currency: 1", "currency must be text"),
            ("servers: 1", "servers must be a map"),
            ("servers: {a: -1}", "the price of a must be a number of at least 0"),
            ("servers: {a: .inf}", "the price of a must be a number of at least 0"),
            ("servers: {a: yes}", "the price of a must be a number of at least 0"),
            ("servers: {a: cheap}", "the price of a must be a number of at least 0"),
            ("disks: {}", "unknown section 'disks'"),
        ],
    )
    def test_invalid_ones(self, tmp_path: Path, text: str, reason: str) -> None:
        with pytest.raises(PricesUnusable, match=reason) as refused:
            self.read(tmp_path, text)
        assert str(refused.value).startswith(f"{tmp_path}/prices.yaml: ")

    def test_one_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(PricesUnusable, match="cannot be read"):
            read_prices(tmp_path / "none")
