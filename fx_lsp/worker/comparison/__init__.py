"""Whether an edit changes what an example computes, found by running both on real tensors."""
