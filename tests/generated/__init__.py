"""Files generated from Python are up to date, and the generators do as they should."""
