"""Graphs made ready to be drawn, and written as text."""
