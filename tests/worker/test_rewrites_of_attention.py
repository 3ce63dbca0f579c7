"""Attention as people write it: what is found computes the same, near misses are no offer, and what would be wrong is
found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.analysis.actions import applied
from tests.worker.test_rewrites import compared, found, source

ATTENTION = "attention-by-hand"
HEADS = "q, k, v = (one.view(2, -1, 2, 4) for one in (q, k, v)); "
SAME = [
    "m = torch.ones(5, 5).tril(1) == 0; s = (q @ k.mT).masked_fill(m, -torch.inf); return s.softmax(-1) @ v",
    "y = x[:, :3]; m = torch.ones(3, 5).tril(2) == 0; s = (y @ k.mT).masked_fill(m, -torch.inf); "
    "return s.softmax(-1) @ v",
    "return ((q @ k.transpose(-2, -1)) * self.scale).softmax(-1) @ v",
    "return torch.matmul(F.softmax(torch.matmul(q, k.mT) / math.sqrt(8), dim=2), v)",
    "return torch.bmm(self.soft(torch.bmm(q, k.permute(0, 2, 1)) * self.scale), v)",
    "s = torch.einsum('bid,bjd->bij', q, k); return torch.einsum('bij,bjd->bid', s.softmax(-1), v)",
    "q = q * self.scale; return self.drop((q @ k.transpose(1, 2)).softmax(dim=-1)) @ v",
    "w = F.softmax(q / 8**0.5 @ k.swapaxes(1, 2), -1); return F.dropout(w, 0.2, self.training) @ v",
    "s = q @ k.mT; s *= self.scale; s += mask.float(); return torch.softmax(s, -1) @ v",
    "s = (q @ k.mT).masked_fill(torch.ones(5, 5).tril() == 0, -torch.inf); return s.softmax(-1) @ v",
    "s = torch.where(torch.ones(5, 5).tril() > 0, q @ k.mT, float('-inf')); return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; s = s + mask.float(); return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; s += mask.float(); return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; mask = mask.sum(1)[:, None].float();; s = s + mask; return s.softmax(-1) @ v",
    "s = q @ k.mT; if exists(mask):;; s = s + mask.float(); return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; m = mask.float();; m = m.mT;; s.add_(m); return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; mask = mask.tril() * 0 + torch.ones(5, 5).triu(1) > 0;; "
    "s.masked_fill_(mask, -torch.inf); return s.softmax(-1) @ v + mask.sum()",
    "return nn.Softmax(dim=-1)(q @ k.mT / np.sqrt(8)) @ v",
    "s = torch.baddbmm(mask.float(), q, k.mT, alpha=self.scale); return s.softmax(-1).bmm(v)",
    "k = k.transpose(1, 2) * 1; s = torch.matmul(q, k); return torch.matmul(s.softmax(-1), v)",
    "w = (q @ k.mT).softmax(-1); return (v.mT @ w.permute(0, 2, 1)).mT",
    HEADS + "s = torch.einsum('nqhd,nkhd->nhqk', [q, k]) / 4 ** (1 / 2); "
    "return torch.einsum('nhql,nlhd->nqhd', [s.softmax(3), v])",
    "r = 8 ** -0.25; q, k, v = q.mT, k.mT, v.mT; w = torch.einsum('bct,bcs->bts', q * r, k * r).softmax(-1); "
    "return torch.einsum('bts,bcs->bct', w, v)",
    "return ((q @ k.mT) * self.bias[0].exp()).softmax(-1) @ v",
    "s = q * k.mean(); return ((s @ k.mT) * q.mean()).softmax(-1) @ v",
    "m = torch.ones(5, 5).tril() == 0; s = (q @ k.mT).masked_fill(m, -torch.inf); "
    "p = (mask < 0).logical_not(); s = s.masked_fill(p.logical_not(), -torch.inf); return s.softmax(-1) @ v",
    "s = q @ k.mT + mask.float(); s = s.masked_fill(torch.ones(5, 5).triu(1) > 0, -torch.inf); "
    "return s.softmax(-1) @ v",
    "s = q @ k.mT + torch.ones(5, 5) + mask.float(); return s.softmax(-1) @ v",
    "s = q @ k.mT; m = (1.0 - mask.to(s.dtype)) * -2; s = s + m; return s.softmax(-1) @ v",
    "s = q @ k.mT + q.mean(-1, keepdim=True); if mask is not None:;; s = s + mask.float(); return s.softmax(-1) @ v",
    "q, k, v = (torch.cat([one] * 4, 1) for one in (q, k, v)); m = torch.cat([mask[:, :1]] * 4, 2); "
    "m = (1.0 - (m > 0).float()) * -10000.0; s = q @ k.mT + m; return s.softmax(-1) @ v",
    "q, k, v = (torch.cat([one] * 4, 1)[:, None] for one in (q, k, v)); m = torch.eye(20); "
    "s = q @ k.mT + m; return (s.softmax(-1) @ v)[:, 0]",
    "drop = self.drop; w = (q @ k.mT).softmax(-1); if drop is not None:;; w = drop(w); return w @ v",
]  # fmt: skip
SINGLE = [
    "return F.softmax(q @ k.mT, dim=-1, dtype=torch.float32).to(q.dtype) @ v",
    "w = (q @ k.mT).float().softmax(-1); return w.type_as(q) @ v",
    "s = q @ k.mT; s += mask.float().sum(1)[:, None]; w = s.float().softmax(-1).type_as(s); return w @ v",
    "s = q @ k.mT; w = s.float().softmax(-1).type_as(s); x = w @ v; return x.type_as(s)",
    "w = q @ k.mT; w = torch.softmax(w.float(), dim=-1).type(w.dtype); return w @ v",
]
"""A step in single precision: whatever else is computed in, it is the same only there."""
NEAR = [
    "w = (q @ k.mT).softmax(-1); return w @ v, w",
    "return (q @ k.mT).softmax(1) @ v",
    "return (q @ k.mT).softmax(-1, dtype=torch.float64).float() @ v",
    "s = q @ k.mT; q = q + 1; w = s.softmax(-1); x = w @ v; return x + q",
    "s = q @ k.mT; if mask is not None:;; s = s + mask; else:;; s = s * 2; return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask.any():;; s = s + mask; return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; x = mask;; s = s + x; return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; print(mask.shape);; s = s + mask; return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; s = s * 2;; s = s + mask; return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is None:;; s += 1; return s.softmax(-1) @ v",
    "w = (q @ k.mT).softmax(-1); w = w * mask; return w @ v",
    "s = (q @ k.mT) * self.scale; s = torch.tanh(s / 5) * 5; return s.softmax(-1) @ v",
    "s = q @ k.mT; k.mul_(2); return s.softmax(-1) @ v + k",
    "w = (q @ k.mT).softmax(-1); self.last = w.detach(); return w @ v",
    "return (x @ torch.ones(8, 5)).softmax(-1) @ v",
    "s = (q @ k.mT).masked_fill(mask == 0, 0); return s.softmax(-1) @ v",
    "s = q @ k.mT; y = s.shape[0]; return (s.softmax(-1) @ v) * y",
]
WRONG = [
    "s = q @ k.mT; if mask is not None:;; mask = mask * 2;; s += mask; return s.softmax(-1) @ v",
    "q, k = q[..., :5], k[..., :5]; s = (q @ k.mT) * x.mean(-1)[:, None]; return s.softmax(-1) @ v",
    "s = (q @ k.mT).masked_fill(torch.ones(5, 5).tril(-1) == 0, -1e4); return s.softmax(-1) @ v",
]
"""Offered, and not the same: numbers added as a mask of yes and no, scores that are multiplied key by key, and a row
that is always hidden as a whole."""
ROWS = [
    "return (q @ k.mT).masked_fill(mask == 0, -1e9).softmax(-1) @ v",
    "s = q @ k.mT; s = torch.where(mask > 0, s, torch.finfo(s.dtype).min); return s.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; s = s.masked_fill(mask == 0, -1e9); return s.softmax(-1) @ v",
    "sim = q @ k.mT; if mask is not None:;; sim = sim.masked_fill(~(mask > 0), -torch.finfo(sim.dtype).max); "
    "return sim.softmax(-1) @ v",
    "s = q @ k.mT; if mask is not None:;; mask = mask > 0;; low = -torch.finfo(s.dtype).max;; "
    "s.masked_fill_(~mask, low); return s.softmax(-1) @ v",
]
"""A number that hides is no infinity: only rows that are hidden as a whole tell the difference."""


@pytest.mark.parametrize("body", SAME)
def test_each_spelling_is_found_and_computes_the_same(tmp_path: Path, body: str) -> None:
    text = source(body)
    offer, path = found(tmp_path, text, ATTENTION)
    assert offer is not None
    assert (compared(tmp_path, path, text, offer).why, offer.unsafe) == ("", "")


def test_what_is_turned_twice_is_as_it_was(tmp_path: Path) -> None:
    text = source(
        "w = torch.einsum('bct,bcs->bts', q.mT, k.mT).softmax(-1); return torch.einsum('bts,bcs->bct', w, v.mT)"
    )
    offer, path = found(tmp_path, text, ATTENTION)
    assert offer is not None
    assert "F.scaled_dot_product_attention(q, k, v, scale=1.0).transpose(-2, -1)" in applied(text, offer.edit.changes)
    assert not compared(tmp_path, path, text, offer).why


@pytest.mark.parametrize("body", SINGLE)
def test_a_softmax_in_single_precision_is_the_same_there(tmp_path: Path, body: str) -> None:
    text = source(body)
    offer, path = found(tmp_path, text, ATTENTION)
    assert offer is not None
    assert "half precision" in offer.unsafe
    answer = compared(tmp_path, path, text, offer)
    assert (answer.why, answer.dtype) == ("", "f32")


@pytest.mark.parametrize("body", NEAR)
def test_a_near_miss_is_no_offer(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, source(body), ATTENTION)[0] is None


@pytest.mark.parametrize("body", WRONG)
def test_what_is_offered_and_computes_something_else_is_found_out(tmp_path: Path, body: str) -> None:
    text = source(body)
    offer, path = found(tmp_path, text, ATTENTION)
    assert offer is not None
    assert compared(tmp_path, path, text, offer).why


@pytest.mark.parametrize("body", ROWS)
def test_what_only_rows_that_are_masked_as_a_whole_tell_apart_says_so(tmp_path: Path, body: str) -> None:
    text = source(body)
    offer, path = found(tmp_path, text, ATTENTION)
    assert offer is not None
    assert "masked as a whole" in offer.unsafe
    apart = compared(tmp_path, path, text, offer)
    assert (apart.rows, apart.runs, apart.checks > 4) == (True, True, True)
    assert "gradient" in apart.why


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("return (\n            (q @ k.mT)  # scores\n            .softmax(-1)) @ v  # all\n",
         "        # scores\n        return F.scaled_dot_product_attention(q, k, v, scale=1.0)  # all\n"),
        ("y = ((q @ k.mT).softmax(-1) @ v).relu(); return y",
         "        y = F.scaled_dot_product_attention(q, k, v, scale=1.0).relu()\n"),
        ("m = torch.triu(torch.full((5, 5), -torch.inf), diagonal=1); return ((q @ k.mT) + m).softmax(-1) @ v",
         "return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)\n"),
    ],
)  # fmt: skip
def test_what_is_written_keeps_comments_and_needs_no_parentheses(tmp_path: Path, body: str, written: str) -> None:
    text = source(body)
    offer, _ = found(tmp_path, text, ATTENTION)
    assert offer is not None
    assert written in applied(text, offer.edit.changes)
