"""What runs on a server to make its user data work. Nothing here is run by Calor itself: the files are sent as they
are, so they use nothing but the standard library of whatever Python 3 a guest has."""
