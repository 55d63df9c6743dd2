"""Modules with the names that the tests of other projects import: they lead to Calor."""
