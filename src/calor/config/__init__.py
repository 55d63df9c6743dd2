"""What an operator can set: options with Heat's names where they mean the same, read by oslo.config.

Nothing here is global. A `ConfigOpts` is passed in and comes out as frozen values, one for each part of a server; the
parts themselves never see an option.
"""
