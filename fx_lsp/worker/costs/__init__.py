"""What an example costs: it is run once as it is used, and once as a step of training, on the engine of its trace."""
