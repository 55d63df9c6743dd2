"""The placement service: the inventory of the host, and allocations of servers."""
