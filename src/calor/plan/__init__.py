"""Decides and plans what an action does to a stack and its resources. Has no side effects."""
