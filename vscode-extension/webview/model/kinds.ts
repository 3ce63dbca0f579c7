/** Which family a box belongs to; each has a colour. */

import type { DrawnNode } from "../../src/protocol";
import { flip, isScope, type Child } from "./child";
import type { Model } from "./model";

/** `weight`: has parameters; `shape`: only moves elements about. */
export type Kind =
  | "module"
  | "input"
  | "output"
  | "constant"
  | "reference"
  | "failed"
  | "weight"
  | "norm"
  | "activation"
  | "pool"
  | "shape"
  | "operation";

const FAMILIES: readonly (readonly [RegExp, Kind])[] = [
  [/norm/i, "norm"],
  [
    /^(leaky_?|p|c?e|s|g|re|thresholded_?)?_?(lu|relu6?|elu|selu|celu|gelu|silu|prelu)$|softmax|softmin|sigmoid|tanh|mish|softplus|swish|^glu$|dropout|hardswish/i,
    "activation",
  ],
  [/pool|interpolate|upsample|pixel_?(un)?shuffle|grid_sample/i, "pool"],
  [
    /^(view|reshape|transpose|permute|flatten|unflatten|expand|repeat|squeeze|unsqueeze|split|chunk|cat|concat|stack|unbind|contiguous|clone|to|t|mT|size|roll|flip|pad|movedim|swapaxes|narrow|select|identity|\[ \]|\.\w+|tile|expand_as|view_as|rearrange|type|float|half|masked_select|gather|index_select)$/i,
    "shape",
  ],
  [/conv|linear|embedding|lstm|gru|rnn|attention|bilinear/i, "weight"],
];

/** Of any box. */
export function kindOf(model: Model, child: Child): Kind {
  if (isScope(child)) {
    return model.scope(flip(child)).failed ? "failed" : "module";
  }
  return kindOfNode(model.node(child));
}

/** Of a box that does not open. */
export function kindOfNode(node: DrawnNode): Kind {
  if (node.failed) {
    return "failed";
  }
  if (node.role !== "operation") {
    return node.role === "input" || node.role === "output" || node.role === "constant" ? node.role : "reference";
  }
  const family = FAMILIES.find(([pattern]) => pattern.test(node.title))?.[1];
  return family ?? (node.parameters > 0 ? "weight" : "operation");
}
