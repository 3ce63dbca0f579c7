import torch
import torch.nn as nn


class FrameTagger(nn.Module):
    """Gives every frame of a recording a distribution over tags."""

    def __init__(self, frame_width, hidden_width, number_of_tags):
        super().__init__()
        self.hidden = nn.Linear(frame_width, hidden_width)
        self.tag = nn.Linear(hidden_width, number_of_tags)

    def tag_frame(self, frame):
        return self.tag(torch.tanh(self.hidden(frame)))

    def forward(self, frames):
        number_of_frames = frames.shape[1]

        # collect one prediction per frame
        predictions = []
        for time in range(number_of_frames):
            frame = frames[:, time, :]
            predictions.append(self.tag_frame(frame))

        # put the time axis back in its place
        scores = torch.stack(predictions, dim=1)
        return scores.log_softmax(dim=-1)


FrameTagger(8, 16, 4)(torch.randn(2, 6, 8))
