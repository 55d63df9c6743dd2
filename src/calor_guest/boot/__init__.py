"""What a server does when it boots: its user data turned into one shell script and the files that this needs."""
