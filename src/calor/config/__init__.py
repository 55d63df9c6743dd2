"""The operator's options, read by oslo.config, with Heat's names where they mean the same.

There is no global state: a `ConfigOpts` is passed in and translated to frozen dataclasses, so that the other packages
never see an option.
"""
