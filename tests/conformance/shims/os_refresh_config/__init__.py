"""The module of the original that its tests import. It only passes calls on to calor_guest.refresh."""
