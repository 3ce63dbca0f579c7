"""Whatever comes from outside, wrong in every way: no exception escapes, nothing hangs, memory stays bounded."""
