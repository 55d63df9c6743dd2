"""cfn-get-metadata: prints the metadata of a resource."""

import argparse
import json
from typing import List

from calor_guest.cfn import endpoints
from calor_guest.cfn.credentials import Credentials, read_credentials
from calor_guest.cfn.logs import log, start_logging
from calor_guest.cfn.metadata import of_stack, retrieve, value_at
from calor_guest.cfn.places import THIS_SERVER, Places
from calor_guest.cfn.problems import Problem


def main(arguments: List[str], places: Places = THIS_SERVER) -> int:
    given = _parser().parse_args(arguments)
    start_logging("cfn-get-metadata", places)
    try:
        if given.credential_file:
            credentials = read_credentials(given.credential_file)
        else:
            credentials = Credentials(given.access_key, given.secret_key)
        endpoint = endpoints.given(given.url, places) if given.url else endpoints.cloudformation(places)
        found = retrieve(
            lambda: of_stack(endpoint, credentials, given.stack, given.resource),
            given.resource,
            places.initial_metadata,
            places.last_metadata,
        )
    except Problem as problem:
        log.error("%s", problem)
        return 1
    if found is None:
        return 1
    value = value_at(found.metadata, given.key) if given.key is not None else found.metadata
    if value is not None:
        print(json.dumps(value))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cfn-get-metadata", description="Prints the metadata of a resource as JSON."
    )
    parser.add_argument("-s", "--stack", required=True, type=_name, help="the name of the stack")
    parser.add_argument("-r", "--resource", required=True, type=_name, help="the name of the resource")
    parser.add_argument("--access-key", help="the access key of EC2 credentials")
    parser.add_argument("--secret-key", help="the secret key of EC2 credentials")
    parser.add_argument("--credential-file", help="a file with EC2 credentials")
    parser.add_argument("--region", help="accepted, but not used")
    parser.add_argument("-u", "--url", help="the CloudFormation API (default: the one of this server)")
    parser.add_argument("-k", "--key", help="prints this key only, such as foo.bar.'with.dots'")
    return parser


def _name(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("it must not be empty")
    return text
