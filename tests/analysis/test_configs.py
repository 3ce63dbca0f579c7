"""Configuration files that say how large a model is."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.analysis.workspaces import NET, found, workspace

HYDRA = """\
import hydra, torch
from hydra.utils import instantiate
from model import Net

@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    {body}

if __name__ == "__main__":
    main()
"""


def calls(script: str, **files: str) -> list[tuple[str, str]]:
    """Examples from `train.py`; configurations by path, `__` for a slash."""
    others = {f"{name.replace('__', '/')}.yaml": dedent(text) for name, text in files.items()}
    space = workspace({"model.py": NET, "train.py": dedent(script), **others})
    return [(example.setup, example.call) for example in found(space, "call")]


def test_hydra():
    body = "Net(cfg.model.width)(torch.ones(cfg.batch, 3))"
    ((setup, call),) = calls(HYDRA.format(body=body), conf__config="batch: 4\nmodel:\n  width: 7\n")
    assert setup == ("from omegaconf import OmegaConf\ncfg = OmegaConf.create({'batch': 4, 'model': {'width': 7}})")
    assert call == body


def test_defaults_of_a_configuration():
    ((setup, _),) = calls(
        HYDRA.format(body="Net(cfg.model.width)(torch.ones(cfg.batch, 3))"),
        conf__config="""
            defaults:
              - model: big
              - optional data: none_of_them
              - override hydra/launcher: slurm
              - _self_
              - /more: extra
            batch: 4
            model:
              depth: 2
        """,
        conf__model__big="defaults:\n  - base\n  - _self_\nwidth: 9\n",
        conf__model__base="width: 1\ndepth: 1\nheads: 3\n",
        conf__more__extra="# @package _global_\nbatch: 5\n",
    )
    assert "{'model': {'width': 9, 'depth': 2, 'heads': 3}, 'batch': 5}" in setup


def test_a_target():
    config = "model:\n  _target_: model.Net\n  width: 7\n"
    script = HYDRA.format(body="run(cfg)") + "\ndef run(config):\n    net = instantiate(config.model)\n"
    ((setup, call),) = calls(script + "    net(torch.ones(2))\n", conf__config=config)
    assert "'_target_': 'model.Net'" in setup + call
    assert call.endswith("(torch.ones(2))")
    for other in ("torch.nn.Linear", "model.Other", "Net", "model"):
        assert not calls(script + "    net(torch.ones(2))\n", conf__config=config.replace("model.Net", other))


def test_a_script_that_never_names_the_class():
    script = """
        import hydra, torch
        @hydra.main(config_path="conf", config_name="config.yaml")
        def main(cfg):
            net = hydra.utils.instantiate(cfg["net"])
            net(torch.ones(2))
    """
    ((_, call),) = calls(script, conf__config="net: {_target_: model.Net}\n")
    assert call == "hydra.utils.instantiate(OmegaConf.create({'net': {'_target_': 'model.Net'}})['net'])(torch.ones(2))"


@pytest.mark.parametrize(
    "read",
    [
        "with open('config.yaml') as f:\n    cfg = yaml.safe_load(f)",
        "with open('config.yaml', 'r') as f:\n    cfg = yaml.load(f, Loader=yaml.FullLoader)",
        "cfg = yaml.safe_load(open('config.yaml'))",
        "PATH = 'config.yaml'\ncfg = yaml.safe_load(open(PATH))",
        "parser.add_argument('--config', default='config.yaml')\nargs = parser.parse_args()\n"
        "cfg = yaml.safe_load(open(args.config))",
    ],
)
def test_a_file_that_is_read(read):
    script = f"import torch, yaml\nfrom model import Net\n{read}\nNet(cfg['width'])(torch.ones(cfg['width']))\n"
    ((setup, call),) = calls(script, config="width: 7\n")
    assert (setup, call) == ("cfg = {'width': 7}", "Net(cfg['width'])(torch.ones(cfg['width']))")


def test_omegaconf():
    script = """
        import torch
        from omegaconf import OmegaConf
        from model import Net
        cfg = OmegaConf.load("configs/net.yaml")
        Net(**cfg.model)(torch.ones(cfg.batch))
    """
    ((setup, call),) = calls(script, configs__net="batch: 4\nmodel:\n  width: ${batch}\n")
    assert setup.count("from omegaconf import OmegaConf") == 1
    assert "OmegaConf.create({'batch': 4, 'model': {'width': '${batch}'}})" in setup
    assert call == "Net(**cfg.model)(torch.ones(cfg.batch))"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({}, "config"),
        ({"conf__config": "a: &b 1\nc: *b\n"}, "config"),
        ({"conf__config": "- 1\n"}, "config"),
        ({"conf__config": "defaults:\n  - model: missing\n"}, "config"),
        ({"conf__config": "defaults:\n  - config\n"}, "config"),
        ({"conf__config": "defaults: 3\nbatch: .inf\n"}, "config"),
        ({"conf__config": "width: '" + "x" * 10_000 + "'\n"}, "config"),
        ({"conf__config": "batch: 4\n"}, "other"),
    ],
)
def test_a_configuration_that_cannot_be_read(files, name):
    script = HYDRA.replace('"config")', f'"{name}")').format(body="Net()(torch.ones(cfg.batch, 3))")
    assert calls(script, **files) == []
