"""What names mean in this field: `num_heads` is a small divisor of a width, `input_ids` are integers."""

from __future__ import annotations

import re
from typing import Dict, Optional, Tuple

from fx_lsp.worker.inference.inputs import BATCH, IDS, LENGTH, SIDE, WIDTH, Input, Plain, Tensor, lengths

_ARGUMENTS: Dict[str, Tuple[str, ...]] = {
    r"d_?model|(n|d)_?(embd?|model|inner|hid)|model_dim|hidden_size|embed(ding)?_dim|dim": ("64",),
    r"(n_?|num_?)?spatial_?(n?dims?|dimensions?|rank)|n_?dims|ndim|num_(dims|dimensions)|dimensions?|conv_dims?"
    r"|dimensionality": ("2", "3", "1"),
    r"(.*_)?(bs|bsz|(n_?)?batch(es)?|batch_?size|size_?batch)": (str(BATCH), "1"),
    r".*(kwargs|params|args_dict|_dict|mapping|opts)": ("dict()", "{}"),
    r"p|dropout|drop(_?(path|rate|prob))?|.*_(dropout|drop)(_p|_rate|_prob)?|drop_.*|stochastic_depth.*"
    r"|.*_prob(ability)?": ("0.0", "False"),
    r"eps|epsilon|.*_eps": ("1e-5",),
    r"momentum|alpha|beta|gamma|temperature|scale|.*_scale|.*_factor|init_values?"
    r"|.*_(ratio|rate|weight)": ("2", "1.0", "0.5", "(2, 2, 2, 2)"),
    r"(.*_)?(sr|up|down|stride|(up|down)?sampl\w+|reduction|scale|dilation)_?(ratios|rates|factors|scales)"
    r"|(.*_)?strides": ("(2, 2)", "(2, 2, 2, 2)", "(1, 1)"),
    r"(.*_)?ratios": ("(0.25, 0.5)", "[0.5]"),
    r"expansion|mult|.*_mult(iplier)?|reduction": ("2", "4"),
    r"(in|input|num|n|img|image)?_?(channels?|chans?|planes)|in_ch?|c_in|cin|chan_in": ("3", "64", "1", "32"),
    r"(in|input)_(features|dim|size)|d_in|dim_in": ("64",),
    r"(out|output)_?(features|channels?|chans|planes|dim|size|ch|c)|c_out|cout|d_out|dim_out|oup": ("64",),
    r"inplanes|width|((n|num|nb|base)_?)?filters|growth_rate|bn_size|inp|inner_?dim|.*planes": ("64",),
    r"(n|num|nb)_?(class(es)?|labels|outputs?|targets|categories)|nclasses": ("10",),
    r"(n|num|nb)_?(tasks?|domains?|views?|agents?|branch(es)?|modalit(y|ies)|towers?)": ("2", "4"),
    r"(.*_)?(vocab|dictionary)": ("100", "{'<pad>': 0, '<unk>': 1, 'a': 2}"),
    r"(n|num)_?(tokens|embeddings?|words|codes)|(.*_)?vocab_size|ntoken|codebook_size": ("100",),
    r"embed_tokens|(.*_)?embedding_layer|(word|token)_embeddings?": ("nn.Embedding(100, 64)",),
    r".*(2|_to_)(idx|ids?|index)|(.*_)?dict": ("{'<pad>': 0, '<unk>': 1, 'a': 2}",),
    r"pad(ding)?_?(idx|index|token(_id)?)": ("0",),
    r".*(frame|temporal).*patch.*": ("2",),
    r".*patch.*|p1|p2": ("8", "4", "16", "(8, 8)"),
    r".*(image|img|input|crop|feature(_map)?|fmap).*(size|resolution|height|width)|resolution|size"
    r"|.*resolution": ("32", "64", "(32, 32)", "224"),
    r"(n|num)?_?frames?": ("8",),
    r"(.*_)?(seg(ment)?|chunk|hop|label|pred(iction)?)_?(len(gth)?|size)": ("8", "16", "4"),
    r"(max_)?(seq|sequence|context|block|text|source|target)_?(len|length|size)|.*max_?(len|pos).*|.*_len(gth)?"
    r"|seqlen|n_ctx|max_.*": ("64", "256"),
    r"(dim|d|attn|attention|hidden)?_?(per_)?_?head(_?(dim|size|channels|width|features))?|d_[kv]"
    r"|.*head_dim": ("16", "32"),
    r"((n|num|kv|q|query|key_value|attn|attention)_?)*(heads?|groups)(_.*)?|.*num.*heads.*|nhead"
    r"|.*heads": ("4", "2", "1"),
    r"depths|layers|.*_depths|blocks": ("(1, 1, 1, 1)", "(1, 1)", "2"),
    r"(n|num)?_?(layers?|blocks?|stages?|repeats?|steps?|iterations|scales|levels|degrees?|stacks)|.*depth"
    r"|.*num_.*(layers|blocks)|(n|nb)_.*(layers|blocks)|n"
    r"|.*_(repeats|hierarchies|levels|stages|rounds|hops)": ("2", "1", "(1, 1, 1, 1)"),
    r".*experts?.*|top_?k.*|k": ("4", "2"),
    r"(.*_)?up(sampl\w+)?_kernel_sizes": ("(4, 4)", "4"),
    r"(.*_)?dilation_sizes": ("((1, 3, 5), (1, 3, 5))", "(1, 2)", "2"),
    r".*kernel_sizes": ("(3, 3)", "3", "(3, 3, 3)"),
    r".*kernel(_?size)?s?|ks|.*window(_?size)?|ws|win_size": ("3", "4", "(3, 3)", "8"),
    r"strides?|dilations?|.*_stride|.*_dilation|.*cardinality": ("1", "2", "(1, 1)"),
    r"pad(ding)?|.*padding": ("1", "0"),
    r"(layer|block)?_?(idx|id|index)|layer_num(ber)?|.*_idx": ("0", "1"),
    r"[io]|(in|out)f": ("64",),
    r"bias|.*_bias|(use|is|has|with|return|enable|no|do|add|learnable)_.*|.*causal|training|residual|shortcut|skip"
    r"|bi(dir(ectional)?)?|batch_first|pre_?norm|downsample|affine|inplace|normalize|cls_token": (
        "False", "True", "None",
    ),
    r"(.*_)?(linear|dense|fc|proj(ection)?)_?(layer|fn|func|class|cls|op)": ("nn.Linear", "nn.Linear(64, 64)"),
    r"(.*_)?conv(olution)?_?(layer|fn|func|class|cls|op)": (
        "nn.Conv2d", "nn.Conv1d", "nn.Conv2d(64, 64, 3, padding=1)",
    ),
    r".*norm_?(name|type|mode|kind)": ("'batch'", "'layer'", "'instance'", "'group'"),
    r".*norm(_(layer|fn|func|class|module))?": ("nn.LayerNorm", "nn.BatchNorm2d", "nn.Identity()", "'layer'"),
    r".*act(ivation)?(_?(layer|fn|func|function|name|type|class))?|nonlinearity": (
        "nn.GELU", "nn.GELU()", "'gelu'", "'relu'",
    ),
    r"(.*_)?(transforms|modules|flows|bijectors|submodules)": ("[nn.Identity(), nn.Identity()]", "nn.Identity()"),
    r"fn|func|function|layer|inner|sub_?(layer|module|net)|(.*_)?(net|module|model|encoder|decoder|backbone|transformer"
    r"|vit|enc|dec|projector|adapter|pool(er)?|predictor|head|transform)": (
        "nn.Identity()", "nn.Identity", "lambda x, *a, **k: x",
    ),
    r"(.*_)?(losses|criteria|criterions)": ("[nn.MSELoss(), nn.MSELoss()]",),
    r"(.*_)?(loss|criterion)(_?(fn|func|function|module))?": ("nn.MSELoss()", "nn.CrossEntropyLoss()"),
    r"device": ("'cpu'",),
    r"dtype": ("torch.float32",),
    r"variant|(.*_)?(mode|type|kind|method|strategy)": ("'linear'", "'default'", "None"),
    r"prefix|key|(.*_)?name": ("'name'",),
    r"(.*_)?(layers|blocks|convs|stages)": ("2", "1", "(1, 1)"),
    r"output_(attentions?|hidden_states)|static|freeze.*|verbose|debug": ("False", "True"),
    r".*(dims|channels_list|widths|sizes|list|in_features|filters)": ("(64, 64, 64, 64)", "[64, 64]", "64"),
    r".*(dim|size|width|features?|channels?|hidden|embed(ding)?|units|n[gd]?f|model|c\d|nhid|ninp|ff|_d)|[cd]": ("64",),
}  # fmt: skip
"""Patterns of constructor parameters, and what is tried for them, best first; the first pattern that fits counts."""

OTHERS = ("64", "4", "True", "0.1", "None", "(64, 64)", "nn.Identity()", "'default'")


def argument(name: str) -> Tuple[str, ...]:
    """Values of a constructor parameter, best first."""
    lowered = name.lower().strip("_")
    for spelt in dict.fromkeys((lowered, lowered.rstrip("0123456789").rstrip("_"))):
        for pattern, values in _ARGUMENTS.items() if spelt else ():
            if re.fullmatch(pattern, spelt):
                return values
    single = argument(lowered[:-1])[0] if len(lowered) > 2 and lowered.endswith("s") else ""
    return (f"({single}, {single})", f"[{single}] * 4", *OTHERS) if re.fullmatch(r"\d+\.\d+", single) else OTHERS


def is_flag(pattern: str, code: str) -> bool:
    """Whether all that code does with what matches is to ask whether it holds."""
    asked = rf"\b(?:if|elif|and|or|not)\s+[\w.]*{pattern}\s*(?::|\n|\)|and\b|or\b|else\b)"
    return 0 < len(re.findall(rf"{pattern}\b", code)) == len(re.findall(asked, code))


def is_counted_to(name: str, code: str) -> bool:
    """Whether code does something as many times as this says."""
    return re.search(rf"\brange\((?:\d+, *)?(?:self\.)?{name}\)", code) is not None


def _f32(*shape: int, wrap: str = "{0}") -> Tensor:
    return Tensor("f32", shape, wrap)


_FEATURES, _IMAGE, _FRAMES = (
    _f32(BATCH, LENGTH, WIDTH), _f32(BATCH, 3, SIDE, SIDE), _f32(BATCH, 3, 8, SIDE, SIDE),
)  # fmt: skip
_LENGTHS = (lengths(LENGTH, BATCH), Tensor("i64", (BATCH,)))
_INPUTS: Dict[str, Tuple[Input, ...]] = {
    r".*grid_(t?hw|sizes?)": (Plain("torch.tensor([[1, 4, 4]])"), Plain("torch.tensor([[4, 4], [4, 4]])")),
    r"(.*_)?device": (Plain("torch.device('cpu')"),),
    r"(.*_)?dtype": (Plain("torch.float32"),),
    r".*cu_(seq)?_?len(gth)?s?(_[qkv])?": (Plain("torch.tensor([0, 8, 16], dtype=torch.int32)"),),
    r".*(lengths|lens)": _LENGTHS,
    r"max_seqlen.*|max_len(gth)?": (Plain("16"), Plain("8")),
    r"(n|num)_samples|batch_?size|bsz?": (Plain("2"), Plain("1")),
    r"(max|min|n|num)_(new_)?(tokens|steps|iters?|points|frames|words)|(sample|sampling|inference)_steps|top_?k": (
        Plain("4"), Plain("1"),
    ),
    r"spatial_shapes_list": (Plain("[(4, 4)]"),),
    r"spatial_shapes": (Plain("torch.tensor([[4, 4], [4, 4]])"), Plain("torch.tensor([[4, 4]])")),
    r"level_start_index": (Plain("torch.tensor([0])"),),
    r"(target|original|crop)(_image)?_(size|coords?)(_top_left|_as_tuple)?": (_f32(BATCH, 2), Plain("(4, 4)")),
    r"(.*_)?pooled(_.*)?|temb|.*pooled_projections?|vec|time_emb|t_emb": (_f32(BATCH, WIDTH), _FEATURES),
    r"(image|target|original)_sizes": (Plain("torch.tensor([[32, 32], [32, 32]])"), Plain("[(32, 32), (32, 32)]")),
    r"merge_sizes?": (Plain("torch.tensor([1])"),),
    r"(.*_)?(window|patch|kernel|output)_size|hw": (Plain("(4, 4)"), Plain("4")),
    r"(.*_)?(feature_?maps|features|feats|feature_list)": (
        Tensor("f32", (BATCH, WIDTH, SIDE, SIDE), "[{0}, {0}, {0}]"), _FEATURES, _f32(BATCH, WIDTH, SIDE, SIDE),
    ),
    r"(cache|input)_pos(itions?)?": (Plain("torch.arange(16)"),),
    r"(.*_)?(cos|sin)": (_f32(LENGTH, 16), _f32(BATCH, LENGTH, 16)),
    r"(.*_)?(cache(_params)?|past_key_values?|past)": (Plain("None"),),
    r"(.*_)?(ids?|tokens?|texts?|captions?.*|seq|src|tgt|indices|idx|labels?|targets?|codes|words?|idxs|species)": (
        IDS, _FEATURES,
    ),
    r"(.*_)?(kw)?args|(.*_)?opts": (Plain("{}"), Plain("None")),
    r".*(image|img|video|frame|audio|clip)_(emb(ed(ding)?)?|latent)": (_f32(BATCH, WIDTH), _FEATURES),
    r".*(videos?|clips?).*": (_FRAMES, _f32(BATCH, 8, 3, SIDE, SIDE)),
    r".*(image|img|pixel_?values?|picture|frame|photo|rgb|fmap|feature_?map).*": (
        _IMAGE, Plain("[f32[3, 32, 32], f32[3, 32, 32]]"),
    ),
    r".*(input_features|mel|spectrogram|(?<![a-z])spec(?!ies)).*": (_f32(BATCH, 80, 64), _f32(BATCH, 64, 80)),
    r".*(audio|wav|waveform|speech|raw|input_values).*": (_f32(BATCH, 16000), _f32(BATCH, 1, 16000)),
    r".*(mask|masks|keep).*": (
        Tensor("b8", (BATCH, LENGTH)), Plain("None"), Tensor("b8", (BATCH, 1, LENGTH, LENGTH)),
        Tensor("b8", (LENGTH, LENGTH)),
    ),
    r"t|times?|timesteps?|noise_?levels?|sigmas?|steps?|gamma|cond_?time|temp|temperature|.*_scale": (
        _f32(BATCH), Tensor("i64", (BATCH,)), Plain("1"),
    ),
    r".*(position_embeddings|freqs|rotary|pos_emb|rope).*": (
        _f32(BATCH, LENGTH, 16, wrap="({0}, {0})"), _f32(LENGTH, 16),
    ),
    r".*_len(gth)?": (Plain("4"), *_LENGTHS),
    r"h|w|height|width|n|num_.*|patch_[hw]|.*_(height|width|size|dim)": (Plain("4"), _FEATURES),
    r".*(hw|shapes?|sizes?|resolution)": (
        Plain("(4, 4)"), Plain("torch.tensor([[4, 4], [4, 4]])"), Plain("(2, 16, 64)"),
    ),
    r".*(edge_index|edges)": (Tensor("i64", (2, LENGTH)),),
    r"edge_(attrs?|feat(ure)?s?)": (_f32(LENGTH, WIDTH),),
    r"edge_weights?": (_f32(LENGTH),),
    r".*(adj|adjacency).*": (_f32(BATCH, LENGTH, LENGTH),),
    r".*length": _LENGTHS,
    r".*(point|coord|xyz|pos|box|bbox|loc).*": (_f32(BATCH, LENGTH, 3), _f32(BATCH, LENGTH, 4)),
    r".*(hidden|state|embed|feature|context|memory|query|key|value|cond|encoder|latent).*|[qkv]": (
        _FEATURES, _f32(BATCH, WIDTH), _f32(BATCH, WIDTH, SIDE, SIDE),
    ),
}  # fmt: skip

ANY: Tuple[Input, ...] = (
    _FEATURES, _IMAGE, _f32(BATCH, WIDTH), IDS, _f32(BATCH, WIDTH, SIDE, SIDE), _f32(BATCH, 1, SIDE, SIDE),
    _f32(BATCH), _f32(BATCH, WIDTH, LENGTH), _FRAMES, Plain("[f32[2, 16, 64], f32[2, 16, 64]]"), Plain("4"),
    Plain("None"),
)  # fmt: skip
"""What an input may be of which nothing is known."""


def given_by_name(name: str) -> Optional[Tuple[Input, ...]]:
    """Values of a parameter of `forward`, best first; None for a name that says nothing."""
    lowered = name.lower().strip("_")
    return next((values for pattern, values in _INPUTS.items() if re.fullmatch(pattern, lowered)), None)


def given_as_tensor(name: str) -> Tuple[Input, ...]:
    """One for each of a batch, of what is no single number: lengths of all there is and one less, any numbers."""
    plain = _f32(BATCH), Tensor("i64", (BATCH,))
    return (*_LENGTHS, *plain) if re.search(r"(^|_)len|len(gth)?s$", name.lower()) else plain
