"""Grade again at every save: what was saved, what that changed, and what is next."""
