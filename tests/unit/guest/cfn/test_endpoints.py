"""Where the APIs are."""

from __future__ import annotations

from pathlib import Path

import pytest

from calor_guest.cfn import endpoints
from calor_guest.cfn.places import Places
from tests.unit.guest.cfn.conftest import Guest


@pytest.mark.parametrize(
    ("server", "boto", "url"),
    [
        ("http://10.0.0.1:8123/v1/", "cfn_region_endpoint = 10.0.0.1", "http://10.0.0.1:8123/v1/"),
        (
            "http://10.0.0.1:8123",
            "cfn_region_endpoint = heat.example.org",
            "http://heat.example.org:8123/v1/",
        ),
        ("http://10.0.0.1", "cfn_region_endpoint = 10.0.0.1", "http://10.0.0.1:8000/v1/"),
        ("https://h:1/v1", "is_secure = 1\ncfn_region_endpoint = h", "https://h:1/v1/"),
        ("https://h:1/v1", "", "https://h:1/v1/"),
        ("", "cfn_region_endpoint = h", "http://h:8000/v1/"),
    ],
)
def test_the_host_is_in_one_file_and_the_port_in_another(
    server: str, boto: str, url: str, guest: Guest
) -> None:
    guest.write("/var/lib/heat-cfntools/cfn-metadata-server", server + "\n")
    guest.write("/var/lib/heat-cfntools/cfn-boto-cfg", f"[Boto]\n{boto}\n")
    endpoint = endpoints.cloudformation(Places(str(guest.root)))
    assert endpoint is not None
    assert endpoint.url == url


def test_certificates_are_verified_unless_the_settings_disable_it(guest: Guest) -> None:
    settings = "[Boto]\nis_secure = 1\ncfn_region_endpoint = h\n"
    guest.write("/var/lib/heat-cfntools/cfn-boto-cfg", settings)
    endpoint = endpoints.cloudformation(Places(str(guest.root)))
    assert endpoint is not None
    assert not endpoint.tls.insecure
    guest.write("/var/lib/heat-cfntools/cfn-boto-cfg", f"{settings}https_validate_certificates = 0\n")
    endpoint = endpoints.cloudformation(Places(str(guest.root)))
    assert endpoint is not None
    assert endpoint.tls.insecure


def test_cloudwatch_has_a_port_of_its_own(guest: Guest) -> None:
    guest.write("/var/lib/heat-cfntools/cfn-metadata-server", "http://10.0.0.1:8123/v1/")
    endpoint = endpoints.cloudwatch(Places(str(guest.root)))
    assert endpoint is not None
    assert endpoint.url == "http://10.0.0.1:8003/v1/"


def test_a_server_without_files_knows_no_endpoint(tmp_path: Path) -> None:
    assert endpoints.cloudformation(Places(str(tmp_path))) is None
