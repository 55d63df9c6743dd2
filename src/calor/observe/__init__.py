"""What a process tells of itself while it works: log lines, metrics and traces. Knows nothing of stacks."""
