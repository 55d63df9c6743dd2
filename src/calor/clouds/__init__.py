"""Clients of OpenStack services: sessions, trusts, stack users, EC2 signatures, remote Heat.

Everything here is synchronous and thread-safe. Errors are raised as CloudErrors.
"""
