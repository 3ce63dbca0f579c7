import torch
import torch.nn as nn


class NotebookMemory(nn.Module):
    """Every sentence starts with the same notebook and then writes into it."""

    def __init__(self, number_of_pages, page_width):
        super().__init__()
        self.first_notebook = nn.Parameter(torch.randn(1, number_of_pages, page_width))
        self.writer = nn.Linear(page_width, page_width)
        self.page_chooser = nn.Linear(page_width, number_of_pages)

    def forward(self, words):
        batch_size = words.shape[0]
        notebook = self.first_notebook.repeat(batch_size, 1, 1)
        rows = torch.arange(batch_size, device=words.device)

        for word in words.unbind(dim=1):
            page = self.page_chooser(word).argmax(dim=-1)
            # overwrite one page per sentence
            notebook[rows, page] = torch.tanh(self.writer(word))

        return notebook.mean(dim=1)


NotebookMemory(4, 6)(torch.randn(3, 5, 6))
