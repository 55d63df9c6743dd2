"""Logs, metrics and traces of a process. Knows nothing of stacks."""
