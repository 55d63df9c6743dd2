"""One module for each revision, named after what it does."""
