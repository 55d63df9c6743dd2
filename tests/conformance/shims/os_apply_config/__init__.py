"""The modules of the original that its tests import. They only pass calls on to calor_guest.apply."""
