import torch
import torch.nn.functional as F
from attention_unet import AttentionUnet
from convit import ConVit
from cross_vit import CrossViT
from ecapa import ECAPA_TDNN, Classifier
from graph_mixer import LinkEncoder, NodeEncoder
from pan_decoder import PANDecoder
from phi import PhiForCausalLM
from shufflenet import ShuffleNetV2
from transformers import PhiConfig


def test_convit():
    model = ConVit(img_size=32, patch_size=8, num_classes=5, embed_dim=12, depth=3, num_heads=4, local_up_to_layer=2)
    out = model(torch.randn(2, 3, 32, 32))
    assert out.shape == (2, 5)


def test_shufflenet():
    model = ShuffleNetV2([2, 2, 2], [8, 16, 32, 64, 40], num_classes=5)
    out = model(torch.randn(2, 3, 64, 64))
    assert out.shape == (2, 5)
    F.cross_entropy(out, torch.tensor([1, 4])).backward()


def test_attention_unet():
    model = AttentionUnet(spatial_dims=3, in_channels=1, out_channels=3, channels=(4, 8, 12), strides=(2, 2))
    out = model(torch.randn(2, 1, 16, 16, 16))
    assert out.shape == (2, 3, 16, 16, 16)


def test_cross_vit():
    model = CrossViT(
        image_size=48,
        num_classes=5,
        sm_dim=16,
        lg_dim=24,
        sm_patch_size=8,
        sm_enc_heads=2,
        sm_enc_mlp_dim=32,
        sm_enc_dim_head=8,
        lg_patch_size=16,
        lg_enc_depth=1,
        lg_enc_heads=2,
        lg_enc_mlp_dim=48,
        lg_enc_dim_head=8,
        cross_attn_depth=1,
        cross_attn_heads=2,
        cross_attn_dim_head=8,
        depth=1,
    )
    out = model(torch.randn(2, 3, 48, 48))
    assert out.shape == (2, 5)


def test_ecapa():
    model = ECAPA_TDNN(
        20,
        lin_neurons=12,
        channels=[16, 16, 16, 16, 48],
        attention_channels=8,
        res2net_scale=4,
        se_channels=8,
    )
    classify = Classifier(12, lin_neurons=12, out_neurons=7)
    emb = model(torch.randn(3, 40, 20), lengths=torch.tensor([1.0, 0.8, 0.5]))
    assert emb.shape == (3, 1, 12)
    out = classify(emb)
    assert out.shape == (3, 1, 7)


def test_graph_mixer():
    edge_index = torch.randint(0, 10, (2, 60))
    edge_time = torch.rand(60) * 5
    seed_time = torch.full((10,), 3.0)
    x = torch.randn(10, 6)
    edge_attr = torch.randn(60, 4)

    node_encoder = NodeEncoder(time_window=2)
    h_node = node_encoder(x, edge_index, edge_time, seed_time)
    assert h_node.shape == (10, 6)

    link_encoder = LinkEncoder(k=3, in_channels=4, hidden_channels=16, out_channels=8, time_channels=6)
    h_link = link_encoder(edge_index, edge_attr, edge_time, seed_time)
    assert h_link.shape == (10, 8)


def test_pan_decoder():
    channels = [3, 6, 8, 12, 16, 24]
    sizes = [128, 64, 32, 16, 8, 8]
    features = [torch.randn(2, c, s, s) for c, s in zip(channels, sizes)]
    model = PANDecoder(channels, encoder_depth=5, decoder_channels=10)
    out = model(features)
    assert out.shape == (2, 10, 32, 32)


def test_phi():
    config = PhiConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        qk_layernorm=True,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5},
        attn_implementation="eager",
    )
    model = PhiForCausalLM(config)
    input_ids = torch.randint(0, 50, (3, 7))
    out = model(input_ids=input_ids, labels=input_ids)
    assert out.logits.shape == (3, 7, 50)
    out.loss.backward()


if __name__ == "__main__":
    test_convit()
    test_shufflenet()
    test_attention_unet()
    test_cross_vit()
    test_ecapa()
    test_graph_mixer()
    test_pan_decoder()
    test_phi()
    print("all models run")
