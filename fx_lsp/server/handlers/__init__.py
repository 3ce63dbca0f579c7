"""One file for each method or group of methods: convert in, ask, convert out.  Found by folder."""
