"""Notebooks: every cell has what a file has, from calls in any other cell."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.editor import Editor
from tests.e2e.notebook import CAPABILITIES, Book
from tests.e2e.test_graph import request

pytestmark = pytest.mark.asyncio(loop_scope="module")

IMPORTS = "%matplotlib inline\n!pip install nothing\nimport torch\nfrom torch import nn"
NET = """class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, 4)

    def forward(self, x):
        größe = self.fc(x)
        return größe.relu()
"""
CALLS = "width = len('12345678')\nmodel = Net(width)\nout = model(torch.randn(2, width))"
TRAINS = "while True:\n    raise SystemExit(out.shape)"

NET_HINTS = [
    "def forward(self, x⟦: f32[2, 8]⟧):",
    "größe⟦: f32[2, 4]⟧ = self.fc(x)",
    "return⟦: f32[2, 4]⟧ größe.relu()",
]
CALL_HINTS = ["out⟦: f32[2, 4]⟧ = model(torch.randn(2, width))"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """An editor that knows notebooks."""
    editor = await Editor.start(
        tmp_path_factory.mktemp("workspace"), capabilities=CAPABILITIES, options={"dimNames": False}
    )
    yield editor
    assert await editor.stop() == 0


@pytest.fixture
def book(editor: Editor, request: pytest.FixtureRequest) -> Book:
    """A notebook of this test."""
    return Book(editor, f"{request.node.name}.ipynb")


async def test_it_is_asked_for(editor: Editor) -> None:
    assert editor.answer is not None
    sync = editor.answer.capabilities.notebook_document_sync
    assert sync is not None
    assert sync.save


async def test_a_class_is_shown_with_a_call_of_a_later_cell(editor: Editor, book: Book) -> None:
    await book.open(IMPORTS, NET, CALLS, TRAINS)
    assert await book.hints() == [[], NET_HINTS, CALL_HINTS, []]
    places = [(hint.position.line, hint.position.character) for hint in await editor.raw_hints(book.cells[1])]
    assert places == [(5, 23), (6, 13), (7, 14)]
    assert await editor.raw_hints(book.cells[1], 6, 6) != []
    assert (await editor.lenses(book.cells[1]))[0].startswith("1: f32[2, 8] → f32[2, 4]")
    assert await editor.lenses(book.cells[2]) == []
    hover = await editor.hover(book.cells[1], "self.fc(x)", 8)
    assert hover is not None
    assert "f32[2, 4]" in hover
    assert book.problems() == [[], [], [], []]


async def test_an_edit_in_one_cell_changes_what_another_shows(book: Book) -> None:
    await book.open(IMPORTS, NET, CALLS)
    await book.edit(2, "randn(2,", "randn(7,")
    assert (await book.hints())[1] == [line.replace("[2", "[7") for line in NET_HINTS]


async def test_cells_that_come_go_and_move(editor: Editor, book: Book) -> None:
    await book.open(NET, CALLS)
    await book.insert(0, IMPORTS)
    assert await book.hints() == [[], NET_HINTS, CALL_HINTS]
    await book.insert(1, "# a remark\n\n", "%%bash\nls | wc", wait=False)
    assert (await request(editor, "fx/examples", book.cells[3])).stale is False
    assert await book.hints() == [[], [], [], NET_HINTS, CALL_HINTS]
    await editor.settled()
    assert await book.hints() == [[], [], [], NET_HINTS, CALL_HINTS]
    await book.insert(1, delete=2)
    await book.insert(2, CALLS.replace("(2,", "(5,"), delete=1)
    assert (await book.hints())[1] == [line.replace("[2", "[5") for line in NET_HINTS]
    await book.move(1, 2)
    assert book.problems() == [[], [], []]
    assert (await book.hints())[1] == []
    await book.move(2, 1)
    assert (await book.hints())[1] == [line.replace("[2", "[5") for line in NET_HINTS]


async def test_a_cell_that_does_not_parse_leaves_the_others_alone(editor: Editor, book: Book) -> None:
    await book.open(IMPORTS, "x = (\n", NET, CALLS)
    assert await book.hints() == [[], [], NET_HINTS, CALL_HINTS]
    assert book.problems() == [[], ["1:4-1:5 error syntax-error: '(' was never closed"], [], []]
    await book.edit(1, "(", "1")
    assert book.problems() == [[], [], [], []]
    await book.edit(2, "größe.relu()", "größe.relu(")
    assert (await book.hints())[2] == NET_HINTS[:2]
    await book.edit(3, "(2,", "(3,")
    assert book.problems()[2] == ["8:25-8:26 error syntax-error: '(' was never closed"]
    await book.edit(2, "größe.relu(", "größe.relu()")
    assert (await book.hints())[2] == [line.replace("[2", "[3") for line in NET_HINTS]


async def test_a_failure_is_shown_in_its_cell(book: Book) -> None:
    await book.open(IMPORTS + "\nimport not_installed", "# fx: Net(9)(f32[2, 8])\n" + NET)
    found = book.problems()
    assert [problem.partition(": ")[0] for problem in found[0]] == ["5:0-5:20 warning package-missing"]
    assert len(found[1]) == 1
    assert found[1][0].startswith("8:16-8:26 error linear-features:")


async def test_cells_without_any_class(book: Book) -> None:
    await book.open(IMPORTS, "x = torch.rand(3, 4)\nx", "y = x.T @ x\ndisplay(y)")
    assert await book.hints() == [[], ["x⟦: f32[3, 4]⟧ = torch.rand(3, 4)"], ["y⟦: f32[4, 4]⟧ = x.T @ x"]]
    assert not any(book.problems())
    await book.edit(1, "rand(3,", "rand(5,")
    await book.edit(2, "x.T @ x", "x @ x")
    (problem,) = book.problems()[2]
    assert problem.startswith("1:4-1:9 error matmul-sizes:")
    assert (await book.hints())[1] == ["x⟦: f32[5, 4]⟧ = torch.rand(5, 4)"]


async def test_what_fails_for_want_of_a_file_ends_nothing(book: Book) -> None:
    await book.open(IMPORTS, "x = torch.rand(3, 4)", "text = open('absent.txt').read()", "w = torch.cat([x, x])")
    assert (await book.hints())[3] == ["w⟦: f32[6, 4]⟧ = torch.cat([x, x])"]
    assert not any(book.problems())


async def test_a_notebook_that_trains(book: Book) -> None:
    batches = "batches = [(torch.randn(6, 8), torch.zeros(6, dtype=torch.long)) for _ in range(50)]"
    loop = """optimizer = torch.optim.SGD(model.parameters())
for epoch in range(1000):
    for x, target in batches:
        loss = nn.functional.cross_entropy(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
    await book.open(IMPORTS, NET, "model = Net(8)", batches, loop)
    *_, trained = await book.hints()
    assert trained == [
        "for x⟦: f32[6, 8]⟧, target⟦: i64[6]⟧ in batches:",
        "loss⟦: f32[]⟧ = nn.functional.cross_entropy(model(x), target)",
    ]


async def test_actions_write_into_the_cell(editor: Editor, book: Book) -> None:
    await book.open(IMPORTS, NET.replace("width)", "width, unknown_thing)"))
    (action,) = await editor.actions(book.cells[1], "class Net")
    assert editor.apply(book.cells[1], action.edit).startswith("# fx: Net(width=64, unknown_thing=64)(")


async def test_what_the_classes_need_is_there(editor: Editor, book: Book) -> None:
    editor.write("sizes.py", "WIDTH = 8\n")
    cells = ["from sizes import WIDTH", "device = torch.device('cpu')\nscale: float = 2.0"]
    net = NET.replace("self.fc(x)", "helper(self.fc(x.to(device)))")
    await book.open(
        IMPORTS, *cells, "def helper(x):\n    return x * scale", net, CALLS.replace("len('12345678')", "WIDTH")
    )
    assert (await book.hints())[3:5] == [
        ["def helper(x⟦: f32[2, 4]⟧):", "return⟦: f32[2, 4]⟧ x * scale"],
        [line.replace("self.fc(x)", "helper(self.fc(x.to(device)))") for line in NET_HINTS],
    ]


async def test_a_graph_of_a_cell(editor: Editor, book: Book) -> None:
    await book.open(IMPORTS, NET, CALLS)
    reply = await request(editor, "fx/graph", book.cells[1], line=2)
    assert (reply.state, reply.name) == ("graph", "Net")
    places = {(place.uri, place.range.start.line) for place in reply.drawing.places}
    assert (editor.uri(book.cells[1]), 6) in places


async def test_a_notebook_that_is_closed_shows_nothing(editor: Editor, book: Book) -> None:
    await book.open("x = (", IMPORTS)
    assert book.problems()[0] != []
    await book.close()
    assert book.problems()[0] == []
    assert await editor.raw_hints(book.cells[0]) == []
    await book.open(IMPORTS, NET, CALLS)
    assert (await book.hints())[-2] == NET_HINTS
