import assert from "node:assert/strict";
import { test } from "node:test";

import { importsTorch } from "../../src/torch";

const DOES = [
  "import torch",
  "import torch.nn as nn",
  "import numpy as np, torch",
  "import os, torch.nn.functional as F",
  "from torch import nn",
  "from torch.nn import functional",
  "x = 1\r\nimport torch\r\n",
  "def f():\n    import torch\n",
  "try:\n\tfrom torch import nn\nexcept ImportError: ...",
];
const DOES_NOT = [
  "",
  "import torchvision",
  "from torchvision import models",
  "import numpy as torch_like",
  "# we do not import torch",
  "torch = 3",
  "from . import torch_utils",
  "from mytorch import torch2",
];

for (const text of DOES) {
  test(`imports torch: ${JSON.stringify(text)}`, () => assert.equal(importsTorch(text), true));
}
for (const text of DOES_NOT) {
  test(`does not: ${JSON.stringify(text)}`, () => assert.equal(importsTorch(text), false));
}
