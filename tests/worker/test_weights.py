"""Models whose weights are not on this disk, and what of them is never made up."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from fx_lsp.model.example import PROGRAM
from fx_lsp.worker.renames import only_renames
from tests.worker.tracing import annotated, trace

NET = """
import copy
import torch
from pathlib import Path
from torch import nn
class Net(nn.Module):
    def __init__(self, path="weights/best.pt"):
        super().__init__()
        self.fc = nn.Linear(7, 9)
        {loads}
    def forward(self, x):
        y = self.fc(x)
        return y
"""
LOADS = {
    "a file": 'self.fc.load_state_dict(torch.load(path, map_location="cpu"))',
    "a path": "self.fc.load_state_dict(torch.load(Path(path)))",
    "a part": 'self.fc.load_state_dict(torch.load(path)["model"]["state_dict"], strict=False)',
    "a part that may be there": 'self.fc.load_state_dict(torch.load(path).get("model", {}))',
    "renamed": 'self.fc.load_state_dict({k.replace("module.", ""): v for k, v in torch.load(path)["model"].items()})',
    "without some": """
        state = copy.deepcopy(torch.load(path))
        state = state if state else {}
        for key in list(state.keys()):
            if key.startswith("fc."):
                state[key[len("fc."):]] = state.pop(key)
        if isinstance(state, dict) and "extra" not in state:
            del state["bias"]
        state["bias"] = state.pop("b", None)
        found = self.fc.load_state_dict(state, strict=False)
        assert found.missing_keys == []
    """,
    "one of several": """
        state = torch.load(path)
        state = state["model"] if "model" in state else state
        self.fc.load_state_dict(state.get("ema") or state)
        if "fc.bias" in state:
            print("with a bias")
    """,
    "any of them": """
        state = torch.load(path)
        print(len(path), state, f"{state}")
        if any(key.startswith("module.") for key in state):
            raise ValueError(path)
        self.fc.load_state_dict(state)
    """,
    "of a whole module, and of other sizes": """
        state = torch.load(path).state_dict()
        state["weight"] = state.pop("weights").t().contiguous()
        state["bias"] = state.pop("biases").unsqueeze(0).float()
        self.fc.load_state_dict(state, strict=True)
    """,
    "of its parent": "self.load_state_dict(torch.load(path))",
    "of a hub": """
        self.fc.load_state_dict(torch.hub.load_state_dict_from_url("https://example.invalid/best.pt", progress=False))
    """,
    "of what trains it": """
        state = torch.load(path)
        adam = torch.optim.AdamW(self.parameters())
        adam.load_state_dict(state["optimizer"])
        torch.optim.lr_scheduler.LambdaLR(adam, lambda step: 1.0).load_state_dict(state["scheduler"])
        torch.amp.GradScaler("cpu").load_state_dict(state["scaler"])
    """,
}
READS = {
    "a size": 'self.out = nn.Linear(9, torch.load(path)["fc.weight"].shape[0])',
    "a number": 'self.out = nn.Linear(9, torch.load(path)["width"])',
    "a sum": 'self.out = nn.Linear(9, torch.load(path)["width"] + 1)',
    "a count": 'self.out = nn.Linear(9, len([key for key in torch.load(path) if "fc" in key]))',
    "a count over lines": """
        state = torch.load(path)
        self.out = nn.Linear(9, 1 + len(
            [
                key for key in state.keys() if "fc" in key]))
    """,
    "settings that are merged": """
        sizes = {"out": 4}
        sizes.update(torch.load(path)["config"])
        self.out = nn.Linear(9, sizes["out"])
    """,
    "settings one by one": """
        self.out = 4
        for key, value in torch.load(path)["args"].items():
            setattr(self, key, value)
        self.last = nn.Linear(9, self.out)
    """,
    "a count in a loop": """
        count = 0
        for key in torch.load(path):
            if "fc" in key:
                count += 1
        self.out = nn.Linear(9, count + 1)
    """,
    "a count of what is sorted": """
        names = sorted(torch.load(path).keys())
        self.out = nn.Linear(9, len(names))
    """,
    "how far it goes": """
        state, count = torch.load(path), 0
        while f"blocks.{count}.weight" in state:
            count += 1
        self.out = nn.Linear(9, count + 1)
    """,
    "whether it is there": """
        state = torch.load(path)
        self.out = nn.Linear(9, state["head.weight"].shape[0] if "head.weight" in state else 1000)
    """,
    "a switch": 'self.out = nn.Linear(9, 6 if torch.load(path)["bidirectional"] else 3)',
    "a switch with a default": 'self.out = nn.Linear(9, 6 if torch.load(path).get("small", False) else 3)',
    "a default": 'self.out = torch.zeros(2, torch.load(path).setdefault("n", 4))',
    "a list": "self.out = [torch.zeros(9, 9) for key, value in torch.load(path).items()]",
    "a list over lines": """
        state = torch.load(path)
        self.out = torch.tensor([
            value.shape[0]
            for key, value in state.items() if "fc" in key
        ])
    """,
    "all values": "self.out = torch.tensor([len(one) for one in torch.load(path).values()])",
    "a length": "self.out = nn.Linear(9, len(torch.load(path)))",
    "a model": "self.out = torch.load(path).eval()",
    "a function": "self.out = torch.load(path)(torch.zeros(2))",
    "a tensor": 'self.fc.weight.data = torch.load(path)["fc.weight"]',
    "what is computed with": 'self.out = nn.functional.linear(torch.zeros(2, 3), torch.load(path)["fc.weight"])',
    "a switch that a tensor has as a method": """
        args = torch.load(path)["args"]
        self.out = nn.Linear(9, 16 if args.half else 32)
    """,
    "whether there is such a method": """
        config = torch.load(path)["config"]
        self.out = nn.Linear(9, 3 if hasattr(config, "view") else 4)
    """,
    "a size of what was turned": 'self.out = nn.Linear(9, torch.load(path)["fc.weight"].t().shape[0])',
    "a parameter": 'self.out = nn.Parameter(torch.load(path)["fc.weight"])',
    "arguments": 'self.out = nn.Linear(**torch.load(path)["arguments"])',
    "rounds": 'self.out = [nn.Linear(9, 9) for _ in range(torch.load(path)["layers"])]',
    "what it is equal to": 'self.out = nn.Linear(9, 3 if torch.load(path)["kind"] == "small" else 4)',
}


def indented(text: str) -> str:
    lines = [line for line in text.split("\n") if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n        ".join(line[margin:] for line in lines)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["for key in list(state.keys()):", "    state[key[len('module.'):]] = state.pop(key)"], False),
        (["for key in list(state.keys()):", "    depth = max(depth, int(key))"], True),
        (["for key, value in state.items():  # the rest"], False),
        (["state = {key[7:]: value for key, value in state.items()}"], False),
        (["state = {", "    key[7:]: value", "    for key, value in state.items() if key not in gone"], False),
        (["print(len(path))", "if any('beit' in key for key in state.keys()):"], False),
        (["state = OrderedDict((key[7:], value) for key, value in state.items())"], False),
        (["n = len(state.keys())"], True),
        (["if next(iter(state.items()))[0].startswith('module'):"], True),
        (["n = len(", "    [key for key in state]"], True),
        (["n = max(", "    number(key)", "    for key in state.keys()"], True),
        (["found = [value", "    for key, value in state.items()"], True),
        (["found = sorted(key for key in state)"], True),
        ([""], True),
    ],
)
def test_what_counts(tmp_path: Path, lines: list[str], found: bool) -> None:
    asking = next((number for number, line in enumerate(lines, 1) if "state" in line.split("=")[-1]), 1)
    file = tmp_path / "renames.py"
    file.write_text("\n".join(lines))
    code = compile("0", str(file), "eval")
    assert only_renames(code, asking, 0) != found


@pytest.mark.parametrize("name", LOADS)
def test_a_model_is_what_it_is_without_them(tmp_path: Path, name: str) -> None:
    reply = trace(tmp_path, NET.replace("{loads}", indented(LOADS[name])), "Net()(torch.randn(4, 7))")
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[4, 9]⟧ = " in annotated(reply, tmp_path / "model.py")


@pytest.mark.parametrize("name", READS)
def test_nothing_is_made_up_of_what_is_in_them(tmp_path: Path, name: str) -> None:
    reply = trace(tmp_path, NET.replace("{loads}", indented(READS[name])), "Net()(torch.randn(4, 7))")
    assert reply.failure is not None
    assert (reply.failure.error, reply.failure.proven) == ("FileNotFoundError", False), reply.failure.detail
    assert "weights/best.pt" in reply.failure.message


def test_what_fails_for_want_of_them_is_no_mistake(tmp_path: Path) -> None:
    loads = "assert {key: 1 for key, _ in torch.load(path).items()} == {'weight': 1}"
    reply = trace(tmp_path, NET.replace("{loads}", loads), "Net()(torch.randn(4, 7))")
    assert reply.failure is not None
    assert (reply.failure.error, reply.failure.proven) == ("AssertionError", False)


def test_what_is_empty_for_want_of_them_is_no_mistake(tmp_path: Path) -> None:
    source = """
    import torch
    found = []
    for key, value in torch.load("data.pt").items():
        found.append(value)
    x = torch.stack(found)
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is not None
    assert not reply.failure.proven


def test_data_that_are_not_here_are_given_to_no_model(tmp_path: Path) -> None:
    source = f"{NET.replace('{loads}', 'pass')}\ndata = torch.load('data.pt')\nout = Net()(data)"
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is not None
    assert (reply.failure.error, reply.failure.proven) == ("FileNotFoundError", False)
    assert reply.modules == ()


def test_what_the_code_makes_of_their_absence_is_no_mistake(tmp_path: Path) -> None:
    source = NET.replace("{loads}", "self.state = torch.load(path)").replace(
        "return y",
        """if "w" not in self.state:
            raise ValueError("no w")
        return y""",
    )
    reply = trace(tmp_path, source, "Net()(torch.randn(4, 7))")
    assert reply.failure is not None
    assert not reply.failure.proven


def test_what_is_there_is_loaded(tmp_path: Path) -> None:
    import torch

    (tmp_path / "weights").mkdir()
    torch.save(torch.nn.Linear(7, 8).state_dict(), tmp_path / "weights" / "best.pt")
    loads = f"self.fc.load_state_dict(torch.load({str(tmp_path / 'weights' / 'best.pt')!r}))"
    reply = trace(tmp_path, NET.replace("{loads}", loads), "Net()(torch.randn(4, 7))")
    assert reply.failure is not None
    assert "size mismatch for weight" in reply.failure.detail


@pytest.fixture
def hub(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that read weights, of which there are none."""
    packages = tmp_path_factory.mktemp("packages")
    for name, text in PACKAGES.items():
        (packages / name).parent.mkdir(exist_ok=True)
        (packages / name).write_text(text)
    monkeypatch.syspath_prepend(packages)


@pytest.mark.usefixtures("hub")
def test_a_script_goes_on(tmp_path: Path) -> None:
    source = """
    import torch
    from safetensors.torch import load_file
    from huggingface_hub import hf_hub_download
    model = torch.nn.Linear(5, 3)
    model.load_state_dict(torch.load("best.pt"))
    model.load_state_dict(load_file("best.safetensors"))
    hf_hub_download("someone/model", "config.json")  # which counts how often
    model.load_state_dict(load_file(hf_hub_download(repo_id="someone/model", filename="model.safetensors")))
    try:
        config = hf_hub_download("someone/model", "config.json")
        raise ValueError(config)
    except OSError:
        pass
    x = torch.randn(4, 5)
    y = model(x)
    """
    reply = trace(tmp_path, source, PROGRAM)
    assert reply.failure is None, reply.failure.detail
    assert "y⟦f32[4, 3]⟧ = " in annotated(reply, tmp_path / "model.py")


@pytest.mark.parametrize("asked", ["self.path = hf_hub_download", "hf_hub_download"])
@pytest.mark.usefixtures("hub")
def test_what_fails_for_want_of_a_file_of_a_hub_is_no_mistake(asked: str, tmp_path: Path) -> None:
    loads = f"""
        from huggingface_hub import hf_hub_download
        try:
            {asked}("someone/model", "config.json")
        except OSError:
            pass
        raise ValueError("it should have a model_type")
    """
    reply = trace(tmp_path, NET.replace("{loads}", indented(loads)), "Net()(torch.randn(4, 7))")
    assert reply.failure is not None
    assert (reply.failure.error, reply.failure.proven) == ("ValueError", False)


HUB = """
from functools import wraps
def checked(function):
    @wraps(function)
    def call(*args, **kwargs):
        return function(*args, **kwargs)
    return call
@checked
def hf_hub_download(repo_id, filename, *, revision=None):
    raise FileNotFoundError("there is no network")
"""
PACKAGES = {
    "safetensors/__init__.py": "",
    "safetensors/torch.py": "def load_file(filename, device='cpu'):\n    return open(filename).read()\n",
    "huggingface_hub/__init__.py": "from huggingface_hub.file_download import hf_hub_download\n",
    "huggingface_hub/file_download.py": HUB,
}


def test_weights_that_are_there_as_the_data_of_a_parameter(tmp_path: Path) -> None:
    torch.save({"scale": torch.ones(1475, 1, 9)}, tmp_path / "best.pt")
    loads = 'self.scale = nn.Parameter(torch.zeros(1475, 1, 9))\n        self.scale.data = torch.load(path)["scale"]'
    source = NET.replace("weights/best.pt", str(tmp_path / "best.pt")).format(loads=loads)
    source = source.replace("y = self.fc(x)", "y = self.fc(x) * self.scale")
    reply = trace(tmp_path, source, "Net()(torch.zeros(2, 7))")
    assert reply.failure is None
    assert "y⟦f32[1475, 2, 9]⟧ = " in annotated(reply, tmp_path / "model.py")
