"""The modules of the original that its tests import. They only pass calls on to calor_guest.collect, and stand between
what that asks of the network and the clients that the tests give."""
