"""The services of OpenStack clouds, as their client: sessions, trusts, users of stacks, signatures, other Heats.

Everything here is synchronous and may be used from several threads at once. What goes wrong comes as a CloudError.
"""
