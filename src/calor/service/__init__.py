"""The use cases: what every API and the command line ask for, without HTTP."""
