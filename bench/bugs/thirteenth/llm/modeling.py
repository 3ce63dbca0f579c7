"""A decoder in the style of large libraries: grouped queries, rotary positions, a cache and a mask of padding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn

from .configuration import TinyConfig


@dataclass
class CausalLMOutput:
    logits: torch.Tensor
    loss: Optional[torch.Tensor] = None
    past_key_values: Optional[DynamicCache] = None
    hidden_states: Tuple[torch.Tensor, ...] = ()


class DynamicCache:
    def __init__(self) -> None:
        self.key_cache: List[torch.Tensor] = []
        self.value_cache: List[torch.Tensor] = []

    def get_seq_length(self) -> int:
        return self.key_cache[0].shape[-2] if self.key_cache else 0

    def update(self, key_states, value_states, layer_idx):
        if len(self.key_cache) <= layer_idx:
            self.key_cache.append(key_states)
            self.value_cache.append(value_states)
        else:
            self.key_cache[layer_idx] = torch.cat([self.key_cache[layer_idx], key_states], dim=-2)
            self.value_cache[layer_idx] = torch.cat([self.value_cache[layer_idx], value_states], dim=-2)
        return self.key_cache[layer_idx], self.value_cache[layer_idx]


class TinyRMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states


class TinyRotaryEmbedding(nn.Module):
    def __init__(self, config: TinyConfig):
        super().__init__()
        dim = config.head_dim
        inv_freq = 1.0 / (config.rope_theta ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, position_ids):
        freqs = position_ids[:, :, None].float() * self.inv_freq[None, None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        return emb.cos(), emb.sin()


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin):
    cos = cos.unsqueeze(1)
    sin = sin.unsqueeze(1)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def repeat_kv(hidden_states, n_rep):
    batch, heads, slen, head_dim = hidden_states.shape
    hidden_states = hidden_states[:, :, None, :, :].expand(batch, heads, n_rep, slen, head_dim)
    return hidden_states.reshape(batch, heads * n_rep, slen, head_dim)


class TinyAttention(nn.Module):
    def __init__(self, config: TinyConfig, layer_idx: int):
        super().__init__()
        self.layer_idx = layer_idx
        self.num_heads = config.num_attention_heads
        self.num_key_value_heads = config.num_key_value_heads
        self.num_key_value_groups = self.num_heads // self.num_key_value_heads
        self.head_dim = config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, self.num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, self.num_key_value_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, self.num_key_value_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.num_heads * self.head_dim, config.hidden_size, bias=False)

    def forward(self, hidden_states, position_embeddings, attention_mask=None, past_key_values=None):
        bsz, q_len, _ = hidden_states.size()
        query_states = self.q_proj(hidden_states).view(bsz, q_len, self.num_heads, self.head_dim).transpose(1, 2)
        key_states = self.k_proj(hidden_states).view(bsz, q_len, self.num_key_value_heads, self.head_dim).transpose(1, 2)
        value_states = self.v_proj(hidden_states).view(bsz, q_len, -1, self.head_dim).transpose(1, 2)

        cos, sin = position_embeddings
        query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)
        if past_key_values is not None:
            key_states, value_states = past_key_values.update(key_states, value_states, self.layer_idx)
        key_states = repeat_kv(key_states, self.num_key_value_groups)
        value_states = repeat_kv(value_states, self.num_key_value_groups)

        attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / self.head_dim**0.5
        if attention_mask is not None:
            attn_weights = attn_weights + attention_mask
        attn_weights = F.softmax(attn_weights, dim=-1)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().view(bsz, q_len, -1)
        return self.o_proj(attn_output), attn_weights


class TinyMLP(nn.Module):
    def __init__(self, config: TinyConfig):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class TinyDecoderLayer(nn.Module):
    def __init__(self, config: TinyConfig, layer_idx: int):
        super().__init__()
        self.self_attn = TinyAttention(config, layer_idx)
        self.mlp = TinyMLP(config)
        self.input_layernorm = TinyRMSNorm(config.hidden_size, config.rms_norm_eps)
        self.post_attention_layernorm = TinyRMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(self, hidden_states, **kwargs):
        residual = hidden_states
        hidden_states = self.input_layernorm(hidden_states)
        hidden_states, _ = self.self_attn(hidden_states, **kwargs)
        hidden_states = residual + hidden_states
        residual = hidden_states
        hidden_states = self.mlp(self.post_attention_layernorm(hidden_states))
        return residual + hidden_states


class TinyModel(nn.Module):
    def __init__(self, config: TinyConfig):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([TinyDecoderLayer(config, i) for i in range(config.num_hidden_layers)])
        self.norm = TinyRMSNorm(config.hidden_size, config.rms_norm_eps)
        self.rotary_emb = TinyRotaryEmbedding(config)

    def _causal_mask(self, attention_mask, inputs_embeds, past_len):
        bsz, q_len, _ = inputs_embeds.shape
        target_len = past_len + q_len
        mask = torch.full((q_len, target_len), torch.finfo(inputs_embeds.dtype).min)
        mask = torch.triu(mask, diagonal=past_len + 1)
        mask = mask[None, None, :, :].expand(bsz, 1, -1, -1)
        if attention_mask is not None:
            padding = attention_mask[:, None, None, :] == 0
            mask = mask.masked_fill(padding, torch.finfo(inputs_embeds.dtype).min)
        return mask

    def forward(self, input_ids, attention_mask=None, past_key_values=None, use_cache=False):
        if use_cache and past_key_values is None:
            past_key_values = DynamicCache()
        past_len = past_key_values.get_seq_length() if past_key_values is not None else 0
        inputs_embeds = self.embed_tokens(input_ids)
        position_ids = torch.arange(past_len, past_len + input_ids.shape[1]).unsqueeze(0)
        causal_mask = self._causal_mask(attention_mask, inputs_embeds, past_len)
        position_embeddings = self.rotary_emb(position_ids)
        hidden_states = inputs_embeds
        all_hidden_states = ()
        for layer in self.layers:
            all_hidden_states += (hidden_states,)
            hidden_states = layer(
                hidden_states,
                position_embeddings=position_embeddings,
                attention_mask=causal_mask,
                past_key_values=past_key_values,
            )
        return self.norm(hidden_states), past_key_values, all_hidden_states


class TinyForCausalLM(nn.Module):
    def __init__(self, config: TinyConfig):
        super().__init__()
        self.model = TinyModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight

    def forward(self, input_ids, attention_mask=None, labels=None, past_key_values=None, use_cache=False):
        hidden_states, cache, states = self.model(input_ids, attention_mask, past_key_values, use_cache)
        logits = self.lm_head(hidden_states)
        loss = None
        if labels is not None:
            shift_logits = logits[..., :-1, :].contiguous()
            shift_labels = labels[..., 1:].contiguous()
            loss = F.cross_entropy(shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1))
        return CausalLMOutput(logits=logits, loss=loss, past_key_values=cache, hidden_states=states)

    @torch.no_grad()
    def generate(self, input_ids, max_new_tokens=4):
        cache = None
        tokens = input_ids
        for _ in range(max_new_tokens):
            output = self(tokens, past_key_values=cache, use_cache=True)
            cache = output.past_key_values
            tokens = output.logits[:, -1].argmax(-1, keepdim=True)
            input_ids = torch.cat([input_ids, tokens], dim=-1)
        return input_ids
