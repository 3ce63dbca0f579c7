"""What can be said about a workspace from text and facts: pure, no torch, no protocol, no clock."""
