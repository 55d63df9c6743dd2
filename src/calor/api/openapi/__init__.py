"""The description of the REST API for machines, OpenAPI 3.1: a module for each family of routes, and what makes a
document of them. A route without a description makes no document."""
