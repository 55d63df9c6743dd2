"""Walks a stack's graph of steps: to change it to a definition (`stack_walk`, `dispatch`), or for actions on existing
resources (`actions`)."""
