"""A running submission: one interface, several backends; the code itself runs elsewhere."""
