"""Walks plans: creates, updates, rolls back and deletes what stacks are made of."""
