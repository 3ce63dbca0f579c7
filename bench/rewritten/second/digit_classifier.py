import torch
import torch.nn as nn


class DigitClassifier(nn.Module):
    """Two fully connected layers, the first one followed by normalisation."""

    def __init__(self, number_of_pixels, hidden_units=24, number_of_digits=10):
        super().__init__()
        self.hidden_layer = nn.Linear(number_of_pixels, hidden_units)
        self.hidden_norm = nn.BatchNorm1d(num_features=hidden_units)
        self.activation = nn.ReLU()
        self.output_layer = nn.Linear(hidden_units, number_of_digits)

    def hidden_representation(self, flat_image):
        pre_activation = self.hidden_layer(flat_image)
        # zero mean, unit variance for every hidden unit
        normalised = self.hidden_norm(pre_activation)
        return self.activation(normalised)

    def forward(self, image):
        # (batch, height, width) -> (batch, pixels)
        flat_image = image.flatten(start_dim=1)
        hidden = self.hidden_representation(flat_image)
        return self.output_layer(hidden)


DigitClassifier(36)(torch.rand(5, 6, 6))
