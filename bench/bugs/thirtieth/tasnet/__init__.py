"""Separation of two speakers in the waveform."""
