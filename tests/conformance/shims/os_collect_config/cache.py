import os

from oslo_config import cfg

from calor_guest.collect.cache import Cache


def _cache():
    return Cache(cfg.CONF.cachedir)


def get_path(name):
    return _cache().path(name)


def store(name, value):
    stored = _cache().store(name, value)
    return stored.changed, stored.path


def commit(name):
    return _cache().commit(name)


def store_meta_list(name, keys):
    path = get_path(name)
    os.rename(_cache().store_list(keys), path)
    return path
