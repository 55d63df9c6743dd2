"""cfn-create-aws-symlinks: links the cfn tools to where AWS has them."""

import argparse
import glob
import os
from typing import List


def main(arguments: List[str]) -> int:
    given = _parser().parse_args(arguments)
    if given.source == given.target:
        print(f"source and target are the same folder: {given.target}")
        return 1
    try:
        os.makedirs(given.target, exist_ok=True)
        for source in sorted(glob.glob(os.path.join(glob.escape(given.source), "cfn-*"))):
            _link(source, os.path.join(given.target, os.path.basename(source)), given.force)
    except OSError as error:
        print(f"cannot create the links: {error}")
        return 1
    return 0


def _link(source: str, target: str, force: bool) -> None:
    if os.path.lexists(target):
        if not force:
            print(f"{target} exists")
            return
        os.unlink(target)
    os.symlink(source, target)
    print(f"{source} -> {target}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cfn-create-aws-symlinks", description="Links the cfn tools to where AWS has them."
    )
    parser.add_argument("-t", "--target", default="/opt/aws/bin", help="the folder for the links")
    parser.add_argument("-s", "--source", default="/usr/bin", help="the folder of the tools")
    parser.add_argument("-f", "--force", action="store_true", help="replace what exists")
    return parser
