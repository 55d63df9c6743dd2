"""Stacks, resources, events and all else that has to last: tables, queries and the batching writer."""
