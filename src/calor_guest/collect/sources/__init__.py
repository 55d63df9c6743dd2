"""The sources of metadata: modules, each with a class Source.

The option `collectors` names them: see `COLLECTORS` and `OPTIONS` in `collect/options.py`."""
