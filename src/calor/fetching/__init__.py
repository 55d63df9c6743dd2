"""Fetches templates and images from URLs given by users. All such requests go through this package."""
