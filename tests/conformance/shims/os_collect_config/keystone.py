"""The tests of this module are about the inner life of the original; it only has to be there."""
