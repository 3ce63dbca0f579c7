"""What only the documentation says of an argument: its type, and the texts that it may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference.described import described
from tests.worker.test_inference import found, works

MODELS = {
    "an object of a class that is named": """
class Measures(dict):
    def __init__(self, named):
        if not isinstance(named, dict):
            raise TypeError("names and numbers are needed")
        super().__init__(named)
    @property
    def dim(self):
        return sum(self.values())
class Other(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
    def forward(self, x):
        return x * self.dim
SMALL = Measures({}), Measures({"x": 2, "t": 3})
class Net(nn.Module):
    '''Layers.

    Parameters
    ----------
    given : Measures
        What goes in.
    '''
    def __init__(self, given):
        super().__init__()
        self.given = given
        self.fc = nn.Linear(self.given.dim, 4)
    def forward(self, x):
        y = self.fc(x) * len(self.given.keys())
        return y
""",
    "lists of objects, kinds and tables": """
class Column:
    def __init__(self, name, rows, width=8):
        self.name, self.rows, self.width = name, rows, width
class Head(nn.Module):
    def __init__(self, kind="binary"):
        super().__init__()
        if kind not in ["binary", "count"]:
            raise ValueError("kind must be binary or count")
        self.kind = kind
    def forward(self, x):
        return x.sigmoid() if self.kind == "binary" else x
class Net(nn.Module):
    '''Several tasks.

    Args:
        columns (list): the list of `Column`, by all towers.
        kinds (list): kinds of tasks, only support `["binary", "count"]`.
        shared (dict): the settings of the last layers, keys include `{"bias": bool}`.
    '''
    def __init__(self, columns, kinds, shared):
        super().__init__()
        self.columns = columns
        self.tables = nn.ModuleDict({one.name: nn.Embedding(one.rows, one.width) for one in columns})
        self.heads = nn.ModuleList(nn.Linear(sum(one.width for one in columns), 1, **shared) for _ in kinds)
        self.ends = nn.ModuleList(Head(kind) for kind in kinds)
    def forward(self, x):
        y = torch.cat([self.tables[one.name](x[one.name]) for one in self.columns], -1)
        y = torch.cat([end(head(y)) for head, end in zip(self.heads, self.ends)], -1)
        return y
""",
    "sizes in the style of numpy": """
class Net(nn.Module):
    '''Layers.

    Parameters
    ----------
    shape_of_layers : list of int
        Number of units of each layer.
    way : {'wide', 'deep'}, default 'wide'
        How.
    '''
    def __init__(self, shape_of_layers, way):
        super().__init__()
        assert way in TABLE
        self.layers = nn.ModuleList(
            nn.Linear(one, other) for one, other in zip(shape_of_layers[:-1], shape_of_layers[1:])
        )
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
TABLE = {"wide": 1, "deep": 2}.keys()
""",
    "fields of Sphinx": """
class Net(nn.Module):
    def __init__(self, taps, mode):
        '''
        :param taps: how far it looks back, for each filter
        :type taps: tuple of ints
        :param str mode: either "same" or "valid"
        '''
        super().__init__()
        self.filters = nn.ModuleList(nn.Conv1d(4, 4, tap, padding=mode) for tap in taps)
    def forward(self, x):
        y = sum(one(x).mean(-1) for one in self.filters)
        return y
""",
}


@pytest.mark.parametrize("name", MODELS)
def test_found(tmp_path: Path, name: str) -> None:
    works(tmp_path, MODELS[name], found(tmp_path, MODELS[name])["Net"])


class Documented:
    """Of many styles.

    Args:
        one (int, optional): the width.
        two (list of lists of int): of each.
        three: the depth of it, or `what` it is.
        four (int or tuple): how large.
        five (`Other`): of no known type
        nine: {N, 2}
        ten: {2, 4}
    seven : tuple of floats
        See above.
    """

    def __init__(self) -> None:
        """Made.

        @param eight: a switch
        @type eight: boolean
        """


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("one", "<class 'int'>"),
        ("two", "typing.List[typing.List[int]]"),
        ("three", "None"),
        ("four", "typing.Union[int, tuple]"),
        ("five", "None"),
        ("six", "None"),
        ("seven", "typing.Tuple[float, ...]"),
        ("eight", "<class 'bool'>"),
        ("nine", "None"),
        ("ten", "typing.Literal[2, 4]"),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    assert str(described(Documented, name).kind) == kind


def test_a_range_is_no_shape(tmp_path: Path) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(24, 4)
            def forward(self, x):
                '''Args:
                    x: features, with values in [low, high]
                '''
                y = self.fc(x)
                return y
    """
    (one,) = found(tmp_path, source).values()
    assert one.call == "Net()(f32[2, 16, 24])"
