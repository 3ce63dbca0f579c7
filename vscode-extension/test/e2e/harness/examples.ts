/** Words of the examples that several tests look for. */

/** Line of `tok_emb = …` in gpt2.py, and the hint on it. */
export const TOKENS = { file: "gpt2.py", line: 142, hint: "tok_emb: f32[4, 64, 768] = self.transformer.wte(idx)" };

/** The expression that fails in broken_cnn.py. */
export const BROKEN = {
  file: "broken_cnn.py",
  line: 21,
  says: "`self.fc1` takes 4096 features in the last dim, and `x` (f32[4, 2304]) has 2304",
};
