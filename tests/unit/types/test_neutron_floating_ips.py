"""Floating IPs, what they lead to, and what they forward, at work."""

from __future__ import annotations

import pytest

from calor.resources.outcomes import ResourceFailed
from calor.testing import FakeCloud, run
from calor.types.neutron.floating_ips.floating_ip import FloatingIP
from calor.types.neutron.floating_ips.floating_ip_association import FloatingIPAssociation
from tests.unit.types.neutron_work import attribute, deleted, found, intended, made, updated


def test_a_floating_ip_is_reserved_on_an_external_network() -> None:
    context = made(FloatingIP, floating_network="public", floating_subnet="left", value_specs={"x": 1})

    assert context.services.body("POST /floatingips")["floatingip"] == {
        "floating_network_id": "n-public",
        "subnet_id": "s-left",
        "x": 1,
    }
    assert context.physical_id == "floatingips-1"
    assert attribute(context, "floating_network_id") == "n-public"


def test_a_floating_ip_leads_to_a_port_to_another_and_to_none() -> None:
    context = made(FloatingIP, floating_network="public", port_id="p1", fixed_ip_address="10.0.0.4")
    body = context.services.body("POST /floatingips")["floatingip"]
    assert (body["port_id"], body["fixed_ip_address"]) == ("p1", "10.0.0.4")

    updated(context, port_id="p2", fixed_ip_address=None)
    assert context.services.body("PUT /floatingips/floatingips-1") == {
        "floatingip": {"port_id": "p2", "fixed_ip_address": None}
    }
    updated(context, port_id=None)
    assert context.services.body("PUT /floatingips/floatingips-1") == {
        "floatingip": {"port_id": None, "fixed_ip_address": None}
    }
    assert attribute(context, "port_id") is None


def test_a_name_of_a_floating_ip_changes_without_leading_it_elsewhere() -> None:
    context = made(FloatingIP, floating_network="public", port_id="p1")
    updated(context, dns_name="www")

    assert context.services.body("PUT /floatingips/floatingips-1") == {"floatingip": {"dns_name": "www"}}


def test_a_floating_ip_whose_creation_was_interrupted_is_found_by_what_it_is_for() -> None:
    cloud = FakeCloud()
    cloud.place("/floatingips/old", floating_network_id="n-public", created_at="1970-01-01T00:00:00Z")
    cloud.place("/floatingips/other", floating_network_id="n-public", port_id="p2")
    cloud.place("/floatingips/taken", floating_network_id="n-public", port_id="p1")
    context = intended(FloatingIP, cloud, floating_network="public", port_id="p1")
    context.claimed_ids = frozenset({"taken"})
    assert not found(context)
    cloud.place("/floatingips/mine", floating_network_id="n-public", port_id="p1")

    assert found(context)
    assert context.physical_id == "mine"


def association(cloud: FakeCloud | None = None) -> FakeCloud:
    services = cloud or FakeCloud()
    services.place("/floatingips/f1", port_id=None)
    services.place("/floatingips/f2", port_id=None)
    return services


def test_an_association_leads_a_floating_ip_to_a_port() -> None:
    cloud = association()
    context = made(
        FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1", fixed_ip_address="10.0.0.4"
    )

    assert cloud.body("PUT /floatingips/f1") == {
        "floatingip": {"port_id": "p1", "fixed_ip_address": "10.0.0.4"}
    }
    assert context.physical_id == context.id
    deleted(context)
    assert cloud.objects["/floatingips/f1"]["port_id"] is None


def test_an_association_moves_from_one_floating_ip_to_another() -> None:
    cloud = association()
    context = made(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    updated(context, floatingip_id="f2", port_id="p2")

    assert cloud.objects["/floatingips/f1"]["port_id"] is None
    assert cloud.objects["/floatingips/f2"]["port_id"] == "p2"


def test_a_floating_ip_that_leads_elsewhere_by_now_stays_so() -> None:
    cloud = association()
    context = made(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    cloud.objects["/floatingips/f1"]["port_id"] = "p9"
    with pytest.raises(ResourceFailed, match="does not lead to"):
        run(FloatingIPAssociation.check(context))
    deleted(context)

    assert cloud.objects["/floatingips/f1"]["port_id"] == "p9"


def test_an_association_gives_way_to_another_about_the_same() -> None:
    cloud = association()
    old = made(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    run(FloatingIPAssociation.before_replace(old))
    assert cloud.objects["/floatingips/f1"]["port_id"] is None
    made(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    deleted(old)
    assert cloud.objects["/floatingips/f1"]["port_id"] == "p1"

    refused = intended(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    run(FloatingIPAssociation.before_replace(refused))
    assert not found(refused)


def test_an_association_that_gave_way_comes_back() -> None:
    cloud = association()
    old = made(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    run(FloatingIPAssociation.before_replace(old))
    made(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p2")
    run(FloatingIPAssociation.revert_replace(old))
    assert cloud.objects["/floatingips/f1"]["port_id"] == "p1"
    deleted(old)
    assert cloud.objects["/floatingips/f1"]["port_id"] is None


def test_an_association_whose_creation_was_interrupted_is_found() -> None:
    cloud = association()
    context = intended(FloatingIPAssociation, cloud, floatingip_id="f1", port_id="p1")
    assert not found(context)
    cloud.objects["/floatingips/f1"]["port_id"] = "p1"

    assert found(context)
    assert context.physical_id == context.id
