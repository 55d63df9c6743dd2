"""The actions, one function each."""
