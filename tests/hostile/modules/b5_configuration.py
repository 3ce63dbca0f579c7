"""A configuration that is deep, large, slow and names files of others.  Harm: the server breaks on it or reads them."""

from kit import Harmless

OWN = True
RUNS = False
PLANT = {
    "pyproject.toml": (
        "repeated",
        '[tool.fx-lsp]\nexclude = ["*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "[", "**/**/**/**/**/**/**/**/x"]\n'
        'timeout = 2\ndims = { B = 99999999999999999999, "\\u202e" = 1 }\nread = ["@HOST@/other", "~"]\n'
        '[tool.fx-lsp.examples]\n"../../mine/net.py" = ["Mine()(f32[9, 8])"]\n'
        '"@HOST@/mine/net.py" = ["Mine()(f32[9, 8])"]\n'
        "[tool.other]\nx = ",
        "[",
        50000,
        "\n",
    ),
}


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass
