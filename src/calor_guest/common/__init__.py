"""What the guest tools share: files, HTTP, log-in and signatures. Runs on Python 3.6 without other packages."""
