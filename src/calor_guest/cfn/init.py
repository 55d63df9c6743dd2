"""cfn-init: configures this server as the metadata of its resource describes it."""

import argparse
from typing import List

from calor_guest.cfn import configurations, endpoints
from calor_guest.cfn.credentials import Credentials
from calor_guest.cfn.host import THIS_HOST
from calor_guest.cfn.logs import log, start_logging
from calor_guest.cfn.metadata import init_section, of_stack, retrieve
from calor_guest.cfn.places import THIS_SERVER, Places
from calor_guest.cfn.problems import Problem


def main(arguments: List[str], places: Places = THIS_SERVER) -> int:
    given = _parser().parse_args(arguments)
    start_logging("cfn-init", places)
    credentials = Credentials(given.access_key, given.secret_key)
    try:
        found = retrieve(
            lambda: of_stack(endpoints.cloudformation(places), credentials, given.stack, given.resource),
            given.resource,
            places.initial_metadata,
            places.last_metadata,
        )
        section = init_section(found.metadata) if found else None
        if section is None:
            raise Problem("the metadata has no AWS::CloudFormation::Init")
        configurations.apply(section, given.configsets, THIS_HOST)
    except Problem as problem:
        log.error("%s", problem)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cfn-init", description="Configures this server as the metadata of its resource describes it."
    )
    parser.add_argument("-s", "--stack", help="the name of the stack")
    parser.add_argument("-r", "--resource", help="the name of the resource")
    parser.add_argument("--access-key", help="the access key of EC2 credentials")
    parser.add_argument("--secret-key", help="the secret key of EC2 credentials")
    parser.add_argument("--region", help="accepted, but not used")
    parser.add_argument("-c", "--configsets", help="config sets, separated by commas (default: default)")
    return parser
