"""Modules with the names that tests of other projects import; they call Calor."""
