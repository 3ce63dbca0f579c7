import torch
import torch.nn as nn


class OcclusionStudy(nn.Module):
    """How much does the prediction change when one square is hidden?"""

    def __init__(self, number_of_classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.classifier = nn.Linear(24, number_of_classes)

    def hide_square(self, image, top, left, size=3):
        hidden = image.clone()
        hidden[:, :, top : top + size, left : left + size] = 0.0
        return hidden

    def predict(self, image):
        return self.classifier(self.features(image)).softmax(dim=-1)

    def forward(self, image):
        occluded = self.hide_square(image, top=2, left=2)
        with_square = self.predict(image)
        without_square = self.predict(occluded)
        return with_square - without_square


OcclusionStudy()(torch.rand(2, 1, 8, 8))
