import pytest
import torch

from conformer import Conformer, ConformerBlock
from conv_tasnet import ConvTasNet
from deepspeech import DeepSpeech
from g_mlp import gMLP, gMLPVision
from linformer import LinformerLM, LinformerSelfAttention
from local_attention import LocalAttention
from slots import MultiHeadSlotAttention
from timesformer_pytorch import TimeSformer
from wavernn import WaveRNN


def test_conformer():
    model = Conformer(dim=96, depth=2, dim_head=32, heads=4)
    assert model(torch.randn(2, 50, 96)).shape == (2, 50, 96)


def test_conformer_block_with_mask():
    block = ConformerBlock(dim=96, dim_head=32, heads=4)
    mask = torch.ones(2, 40, dtype=torch.bool)
    assert block(torch.randn(2, 40, 96), mask=mask).shape == (2, 40, 96)


@pytest.mark.parametrize("causal", [False, True])
def test_g_mlp(causal):
    model = gMLP(num_tokens=200, dim=64, depth=2, seq_len=32, attn_dim=16, causal=causal)
    assert model(torch.randint(0, 200, (2, 32))).shape == (2, 32, 200)


def test_g_mlp_vision():
    model = gMLPVision(image_size=64, patch_size=16, num_classes=10, dim=48, depth=2)
    assert model(torch.randn(1, 3, 64, 64)).shape == (1, 10)


def test_linformer():
    model = LinformerLM(num_tokens=500, dim=64, seq_len=128, depth=2, heads=4, k=32)
    assert model(torch.randint(0, 500, (2, 128))).shape == (2, 128, 500)


def test_linformer_with_context():
    attn = LinformerSelfAttention(dim=64, seq_len=128, heads=4, k=32)
    assert attn(torch.randn(1, 20, 64), context=torch.randn(1, 100, 64)).shape == (1, 20, 64)


def test_local_attention():
    q, k, v = (torch.randn(2, 4, 96, 32) for _ in range(3))
    mask = torch.ones(2, 96).bool()
    attn = LocalAttention(dim=32, window_size=16, causal=True)
    assert attn(q, k, v, mask=mask).shape == q.shape


def test_slots():
    model = MultiHeadSlotAttention(num_slots=5, dim=64, heads=4, dim_head=32)
    assert model(torch.randn(2, 100, 64)).shape == (2, 5, 64)


def test_timesformer():
    model = TimeSformer(dim=64, image_size=32, patch_size=8, num_frames=4, num_classes=10, depth=2, heads=4, dim_head=16)
    mask = torch.ones(2, 4).bool()
    assert model(torch.randn(2, 4, 3, 32, 32), mask=mask).shape == (2, 10)


def test_conv_tasnet():
    model = ConvTasNet(enc_num_feats=64, msk_num_feats=32, msk_num_hidden_feats=48, msk_num_layers=3, msk_num_stacks=2)
    assert model(torch.randn(3, 1, 4000)).shape == (3, 2, 4000)


def test_deepspeech():
    model = DeepSpeech(n_feature=64, n_hidden=128, n_class=29)
    assert model(torch.randn(2, 1, 75, 64)).shape == (2, 75, 29)


def test_wavernn():
    model = WaveRNN(upsample_scales=[2, 2, 3], n_classes=16, hop_length=12, n_res_block=2, n_rnn=64, n_fc=48, n_freq=40, n_hidden=32, n_output=32)
    waveform, specgram = torch.rand(2, 1, 12 * 6), torch.rand(2, 1, 40, 10)
    assert model(waveform, specgram).shape == (2, 1, 72, 16)
