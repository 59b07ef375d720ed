"""How every page looks, and how it is sealed: one file, no network, one script at most."""
