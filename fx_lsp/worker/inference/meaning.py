"""What names mean in this field: `num_heads` is a small divisor of a width, `input_ids` are integers."""

from __future__ import annotations

import re
from typing import Optional, Tuple

from fx_lsp.worker.inference.inputs import BATCH, LENGTH, SIDE, WIDTH, Input, Plain, Tensor

_ARGUMENTS: Tuple[Tuple[str, Tuple[str, ...]], ...] = (
    (r"d_?model|(n|d)_?(embd?|model|inner|hid)|model_dim|hidden_size|embed_dim|embedding_dim|dim", ("64",)),
    (r".*(kwargs|params|args_dict|_dict|mapping|opts)", ("dict()", "{}")),
    (r"dropout|drop(_?(path|rate|prob))?|.*_(dropout|drop)(_p|_rate|_prob)?|p|drop_.*", ("0.0", "False")),
    (r"eps|epsilon|.*_eps", ("1e-5",)),
    (r"momentum|alpha|beta|gamma|temperature|scale|.*_scale|.*_factor|init_values?|.*_(ratio|rate|prob|weight)", ("2", "1.0", "0.5", "(2, 2, 2, 2)")),
    (r"mlp_ratio|expansion(_(factor|ratio|rate))?|ff_mult|mult|.*_mult(iplier)?|reduction(_ratio)?", ("2", "4")),
    (r"(in|input|num|n|img|image)?_?(channels?|chans?|planes)|in_ch|c_in|cin|in_c|chan_in", ("3", "64", "1", "32")),
    (r"(in|input)_(features|dim|size)|d_in|dim_in|in_dim", ("64",)),
    (r"(out|output)_?(features|channels?|chans|planes|dim|size|ch|c)|c_out|cout|d_out|dim_out|oup", ("64",)),
    (r"inplanes|planes|width|filters|growth_rate|bn_size|inp|inner_?dim|.*planes", ("64",)),
    (r"(n|num)_(classes|labels|outputs?|targets|categories)|nclasses|nb_classes|num_class", ("10",)),
    (r"(n|num)_?(tokens|embeddings?|vocab|words)|(.*_)?vocab(_size)?|ntoken|codebook_size|num_codes", ("100",)),
    (r"pad(ding)?_?(idx|index|token(_id)?)", ("0",)),
    (r".*(frame|temporal).*patch.*", ("2",)),
    (r".*(patch).*(size|len|width|height|dim)?|p1|p2", ("8", "4", "16", "(8, 8)")),
    (r".*(image|img|input|crop|feature(_map)?|fmap).*(size|resolution|height|width)|resolution|size|image_?size|"
     r".*resolution", ("32", "64", "(32, 32)", "224")),
    (r"(n|num)?_?(frames?)|frames", ("8",)),
    (r"(max_)?(seq|sequence|context|block|text|source|target)_?(len|length|size)|max_len(gth)?|.*max_.*(len|positions).*|"
     r".*_len(gth)?|seqlen|n_ctx|max_.*", ("64", "256")),
    (r"(n|num)?_?(kv_|query_|q_|key_value_|attn_|attention_)?_?(heads?|groups)(_.*)?|.*num.*heads.*|nhead|.*heads", ("4", "2", "1")),
    (r"(dim|d|attn|attention|hidden)?_?(per_)?_?head(_?(dim|size|channels|width|features))?|d_k|d_v|d_head|.*head_dim", ("16", "32")),
    (r"(n|num)?_?(layers?|blocks?|stages?|repeats?|steps?|iterations|scales|levels|stacks|depth)|.*depth|.*num_.*(layers|blocks)|"
     r"nlayers?|n", ("2", "1", "(1, 1, 1, 1)")),
    (r"depths|layers|.*_depths|blocks", ("(1, 1, 1, 1)", "(1, 1)", "2")),
    (r"(n|num)_?experts?.*|top_?k|k|topk.*|n_routed.*|.*experts", ("4", "2")),
    (r".*kernel(_?size)?s?|ks|.*window(_?size)?|ws|win_size", ("3", "4", "(3, 3)", "8")),
    (r"strides?|dilations?|.*_stride|.*_dilation|.*cardinality", ("1", "2", "(1, 1)")),
    (r"pad(ding)?|.*padding", ("1", "0")),
    (r"layer_?(idx|id|index|number|num)?|block_(idx|id|index)|idx|index|i|.*_idx", ("0", "1")),
    (r"bias|.*_bias|use_.*|is_.*|has_.*|with_.*|causal|.*causal|training|return_.*|enable.*|no_.*|do_.*|add_.*|residual|"
     r"shortcut|skip|bidirectional|batch_first|pre_?norm|downsample|affine|inplace|normalize|learnable.*|cls_token",
     ("False", "True", "None")),
    (r".*norm(_layer|_fn|_func|_class|_module|_type)?", ("nn.LayerNorm", "nn.BatchNorm2d", "nn.Identity()", "'layer'")),
    (r".*act(ivation)?(_?(layer|fn|func|function|name|type|class))?|nonlinearity", ("nn.GELU", "nn.GELU()", "'gelu'", "'relu'")),
    (r"(fn|func|function|net|module|model|layer|inner|sublayer|encoder|decoder|backbone|transformer|vit|.*_net|.*_module|"
     r".*(encoder|decoder|backbone|model|projector|adapter))", ("nn.Identity()", "nn.Identity", "lambda x, *a, **k: x")),
    (r"device", ("'cpu'",)),
    (r"dtype", ("torch.float32",)),
    (r"mode|type|kind|.*_(mode|type|method|strategy)|variant", ("'linear'", "'default'", "None")),
    (r"name|prefix|key|.*_name", ("'name'",)),
    (r".*(dims|channels_list|widths|sizes|list|in_features|planes_list|filters)s?", ("(64, 64, 64, 64)", "[64, 64]", "64")),
    (r".*(dim|size|width|features?|channels?|hidden|embed(ding)?|units|nf|ngf|ndf|model|c\d|d|ch|nhid|ninp|ff|.*_d)", ("64",)),
)  # fmt: skip
"""Names of constructor parameters, and what is tried for them, best first."""

_OTHERS = ("64", "4", "True", "0.1", "None", "(64, 64)", "nn.Identity()", "'default'")


def argument(name: str) -> Tuple[str, ...]:
    """Values of a constructor parameter without annotation, best first."""
    lowered = name.lower().strip("_")
    for pattern, values in _ARGUMENTS:
        if re.fullmatch(pattern, lowered):
            return values
    return _OTHERS


_IDS = Tensor("i64", (BATCH, LENGTH))
_FEATURES = Tensor("f32", (BATCH, LENGTH, WIDTH))
_IMAGE = Tensor("f32", (BATCH, 3, SIDE, SIDE))
_INPUTS: Tuple[Tuple[str, Tuple[Input, ...]], ...] = (
    (r".*(input|token|text|position|decoder_input|label|segment|word|code|type)_?ids?|ids|tokens?|text|texts|caption.*|seq|src|tgt|"
     r"indices|idx|labels?|targets?|codes|.*_ids|word|words", (_IDS, _FEATURES)),
    (r".*pixel_values_videos?|videos?|clips?|.*video.*", (Tensor("f32", (BATCH, 3, 8, SIDE, SIDE)), Tensor("f32", (BATCH, 8, 3, SIDE, SIDE)))),
    (r".*(image|img|pixel_?values?|picture|frame|photo|rgb|input_image|fmap|feature_?map)s?.*", (_IMAGE, Plain("[f32[3, 32, 32], f32[3, 32, 32]]"))),
    (r".*(input_features|mel|spectrogram|spec).*", (Tensor("f32", (BATCH, 80, 64)), Tensor("f32", (BATCH, 64, 80)))),
    (r".*(audio|wav|waveform|speech|raw|input_values).*", (Tensor("f32", (BATCH, 16000)), Tensor("f32", (BATCH, 1, 16000)))),
    (r".*(attention_mask|attn_mask|padding_mask|mask|masks|keep).*",
     (Tensor("b8", (BATCH, LENGTH)), Tensor("b8", (BATCH, 1, LENGTH, LENGTH)), Tensor("b8", (LENGTH, LENGTH)), Plain("None"))),
    (r"(t|time|times|timesteps?|noise_?levels?|sigmas?|step|steps|gamma|cond_?time|temp|temperature|.*_scale)",
     (Tensor("f32", (BATCH,)), Tensor("i64", (BATCH,)), Plain("1"))),
    (r".*position_embeddings|.*(freqs|rotary|pos_emb|rope).*", (Tensor("f32", (BATCH, LENGTH, 16), "({0}, {0})"), Tensor("f32", (LENGTH, 16)))),
    (r"(h|w|height|width|n|num_.*|patch_[hw]|.*_(height|width|size|len|length|dim))", (Plain("4"), _FEATURES)),
    (r".*(hw|shape|size|resolution|shapes|sizes)", (Plain("(4, 4)"), Plain("[4, 4]"), Plain("(2, 16, 64)"))),
    (r".*(point|coord|xyz|pos|box|bbox|loc).*", (Tensor("f32", (BATCH, LENGTH, 3)), Tensor("f32", (BATCH, LENGTH, 4)))),
    (r".*(edge_index|edges)", (Tensor("i64", (2, LENGTH)),)),
    (r".*(adj|adjacency).*", (Tensor("f32", (BATCH, LENGTH, LENGTH)),)),
    (r".*(lengths?|lens)", (Tensor("i64", (BATCH,)),)),
    (r".*(hidden|state|states|embed|embeds|embeddings|features?|context|memory|query|key|value|q|k|v|cond|encoder|latents?).*",
     (_FEATURES, Tensor("f32", (BATCH, WIDTH)), Tensor("f32", (BATCH, WIDTH, SIDE, SIDE)))),
)  # fmt: skip

ANY: Tuple[Input, ...] = (
    _FEATURES, _IMAGE, Tensor("f32", (BATCH, WIDTH)), _IDS, Tensor("f32", (BATCH, WIDTH, SIDE, SIDE)),
    Tensor("f32", (BATCH, 1, SIDE, SIDE)), Tensor("f32", (BATCH,)), Tensor("f32", (BATCH, WIDTH, LENGTH)),
    Tensor("f32", (BATCH, 3, 8, SIDE, SIDE)), Plain("[f32[2, 16, 64], f32[2, 16, 64]]"), Plain("4"), Plain("None"),
)  # fmt: skip
"""What an input may be of which nothing is known."""


def given_by_name(name: str) -> Optional[Tuple[Input, ...]]:
    """Values of a parameter of `forward`, best first; None for a name that says nothing."""
    lowered = name.lower().strip("_")
    for pattern, values in _INPUTS:
        if re.fullmatch(pattern, lowered):
            return values
    return None
