"""The OpenAPI 3.1 description of the REST API: a module per family of routes, and one that builds the document. A
route without a description is an error."""
