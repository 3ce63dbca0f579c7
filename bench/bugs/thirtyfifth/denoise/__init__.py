"""Complex-mask speech enhancement with a convolutional recurrent U-Net."""
