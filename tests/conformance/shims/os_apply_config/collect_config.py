from calor_guest.apply.metadata import load, parsed, texts
from calor_guest.apply.metadata import merged as merge_configs

__all__ = ["merge_configs"]


def collect_config(os_config_files, fallback_paths=()):
    return load(os_config_files, fallback_paths)


def read_configs(paths):
    return ((text, path) for path, text in texts(paths))


def parse_configs(found):
    return (parsed(path, text) for text, path in found)
