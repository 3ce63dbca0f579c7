"""Analysis: hundreds of tests in milliseconds, without torch."""
