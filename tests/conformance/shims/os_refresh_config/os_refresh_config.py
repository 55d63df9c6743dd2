import os
import sys

from calor_guest.refresh import main as program


def main(argv=sys.argv):
    return program.main(argv[1:])


def default_base_dir():
    return program.base_folder(os.environ)
