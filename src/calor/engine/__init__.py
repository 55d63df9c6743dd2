"""Carries out actions on stacks: creates, updates, rolls back and deletes resources."""
