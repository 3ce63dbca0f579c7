# FastSpeech-like acoustic model: phonemes -> durations -> mel
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

hparams = {
    "n_phonemes": 60,
    "n_speakers": 5,
    "n_mels": 20,
    "d_model": 64,
    "n_heads": 2,
    "ff_dim": 128,
    "ff_kernel": 9,
    "enc_layers": 2,
    "dec_layers": 1,
    "pitch_bins": 32,
    "postnet_dim": 48,
    "postnet_kernel": 5,
    "lr": 1e-3,
}


def lengths_to_mask(lengths, max_len=None):
    """True where there is padding."""
    max_len = max_len or int(lengths.max())
    ids = torch.arange(max_len)
    return ids.unsqueeze(0) >= lengths.unsqueeze(1)


def sinusoid(n_position, d):
    pos = torch.arange(n_position).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
    table = torch.zeros(n_position, d)
    table[:, 0::2] = torch.sin(pos * div)
    table[:, 1::2] = torch.cos(pos * div)
    return table


class FFTBlock(nn.Module):
    def __init__(self, d, heads, ff, kernel):
        super().__init__()
        self.attn = nn.MultiheadAttention(d, heads, dropout=0.1, batch_first=True)
        self.norm1 = nn.LayerNorm(d)
        self.conv1 = nn.Conv1d(d, ff, kernel, padding=(kernel - 1) // 2)
        self.conv2 = nn.Conv1d(ff, d, 1)
        self.norm2 = nn.LayerNorm(d)

    def forward(self, x, mask):
        y, _ = self.attn(x, x, x, key_padding_mask=mask)
        x = self.norm1(x + y)
        x = x.masked_fill(mask.unsqueeze(-1), 0.0)
        y = self.conv2(F.relu(self.conv1(x.transpose(1, 2))))
        x = self.norm2(x + y.transpose(1, 2))
        return x.masked_fill(mask.unsqueeze(-1), 0.0)


class VariancePredictor(nn.Module):
    def __init__(self, d, hidden=None, kernel=3):
        super().__init__()
        hidden = hidden or d
        self.conv1 = nn.Conv1d(d, hidden, kernel, padding=1)
        self.norm1 = nn.LayerNorm(hidden)
        self.conv2 = nn.Conv1d(hidden, hidden, kernel, padding=1)
        self.norm2 = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, mask):
        x = self.norm1(F.relu(self.conv1(x.transpose(1, 2))).transpose(1, 2))
        x = self.norm2(F.relu(self.conv2(x.transpose(1, 2))).transpose(1, 2))
        return self.out(x).squeeze(-1).masked_fill(mask, 0.0)


class LengthRegulator(nn.Module):
    def forward(self, x, durations):
        out = [torch.repeat_interleave(xi, di, dim=0) for xi, di in zip(x, durations)]
        mel_lens = torch.tensor([o.size(0) for o in out])
        return pad_sequence(out, batch_first=True), mel_lens


class Postnet(nn.Module):
    def __init__(self, n_mels, dim, kernel):
        super().__init__()
        pad = (kernel - 1) // 2
        self.net = nn.Sequential(
            nn.Conv1d(n_mels, dim, kernel, padding=pad), nn.BatchNorm1d(dim), nn.Tanh(),
            nn.Conv1d(dim, dim, kernel, padding=pad), nn.BatchNorm1d(dim), nn.Tanh(),
            nn.Conv1d(dim, n_mels, kernel, padding=pad), nn.BatchNorm1d(n_mels),
        )

    def forward(self, mel):
        return self.net(mel.transpose(1, 2)).transpose(1, 2)


class FastSpeech(nn.Module):
    def __init__(self, hp, max_len=200):
        super().__init__()
        d = hp["d_model"]
        block = lambda: FFTBlock(d, hp["n_heads"], hp["ff_dim"], hp["ff_kernel"])
        self.phoneme = nn.Embedding(hp["n_phonemes"], d, padding_idx=0)
        self.speaker = nn.Embedding(hp["n_speakers"], d)
        self.register_buffer("pe", sinusoid(max_len, d))
        self.encoder = nn.ModuleList([block() for _ in range(hp["enc_layers"])])
        self.duration = VariancePredictor(d)
        self.pitch = VariancePredictor(d)
        self.register_buffer("pitch_edges", torch.linspace(-2, 2, hp["pitch_bins"] - 1))
        self.pitch_embed = nn.Embedding(hp["pitch_bins"], d)
        self.regulate = LengthRegulator()
        self.decoder = nn.ModuleList([block() for _ in range(hp["dec_layers"])])
        self.to_mel = nn.Linear(d, hp["n_mels"])
        self.postnet = Postnet(hp["n_mels"], hp["postnet_dim"], hp["postnet_kernel"])

    def forward(self, phonemes, src_lens, speakers, durations=None, pitch=None):
        src_mask = lengths_to_mask(src_lens, phonemes.size(1))
        x = self.phoneme(phonemes) + self.pe[:phonemes.size(1)]
        for layer in self.encoder:
            x = layer(x, src_mask)
        x = x + self.speaker(speakers).unsqueeze(1)

        log_dur = self.duration(x, src_mask)
        pitch_pred = self.pitch(x, src_mask)
        bins = torch.bucketize(pitch_pred.detach() if pitch is None else pitch, self.pitch_edges)
        x = x + self.pitch_embed(bins)
        if durations is None:
            durations = torch.clamp(torch.round(torch.exp(log_dur) - 1), min=1).long()
            durations = durations.masked_fill(src_mask, 0)

        y, mel_lens = self.regulate(x, durations)
        mel_mask = lengths_to_mask(mel_lens, y.size(1))
        y = y + self.pe[:y.size(1)]
        for layer in self.decoder:
            y = layer(y, mel_mask)
        mel = self.to_mel(y)
        mel_post = mel + self.postnet(mel)
        return mel, mel_post, log_dur, pitch_pred, src_mask, mel_mask


class FastSpeechLoss(nn.Module):
    def forward(self, outputs, mel_target, durations, pitch):
        mel, mel_post, log_dur, pitch_pred, src_mask, mel_mask = outputs
        keep = ~mel_mask
        mel_loss = F.l1_loss(mel[keep], mel_target[keep]) + F.l1_loss(mel_post[keep], mel_target[keep])
        log_target = torch.log(durations.float() + 1)
        dur_loss = F.mse_loss(log_dur[~src_mask], log_target[~src_mask])
        pitch_loss = F.mse_loss(pitch_pred.masked_select(~src_mask), pitch.masked_select(~src_mask))
        return mel_loss + dur_loss + pitch_loss


class Trainer:
    def __init__(self, hp):
        self.hp = hp
        self.model = FastSpeech(hp)
        self.criterion = FastSpeechLoss()
        self.optim = torch.optim.Adam(self.model.parameters(), lr=hp["lr"], betas=(0.9, 0.98))
        self.sched = torch.optim.lr_scheduler.LambdaLR(self.optim, lambda s: min(1.0, (s + 1) / 10))

    def fake_utterance(self):
        n = int(torch.randint(6, 12, (1,)))
        phonemes = torch.randint(1, self.hp["n_phonemes"], (n,))
        durations = torch.randint(1, 5, (n,))
        pitch = torch.randn(n)
        mel = torch.randn(int(durations.sum()), self.hp["n_mels"])
        return phonemes, durations, pitch, mel

    def collate(self, items):
        phonemes, durations, pitch, mels = zip(*items)
        src_lens = torch.tensor([len(p) for p in phonemes])
        phonemes = pad_sequence(phonemes, batch_first=True)
        durations = pad_sequence(durations, batch_first=True)
        pitch = pad_sequence(pitch, batch_first=True)
        mels = pad_sequence(mels, batch_first=True)
        speakers = torch.randint(0, self.hp["n_speakers"], (len(items),))
        return phonemes, src_lens, speakers, durations, pitch, mels

    def step(self, batch):
        phonemes, src_lens, speakers, durations, pitch, mels = batch
        outputs = self.model(phonemes, src_lens, speakers, durations, pitch)
        loss = self.criterion(outputs, mels, durations, pitch)
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        self.sched.step()
        return loss.item()

    def synthesize(self, phonemes):
        self.model.eval()
        with torch.no_grad():
            src_lens = torch.tensor([phonemes.size(0)])
            outputs = self.model(phonemes.unsqueeze(0), src_lens, torch.zeros(1, dtype=torch.long))
        return outputs[1].squeeze(0).t()


if __name__ == "__main__":
    torch.manual_seed(3)
    trainer = Trainer(hparams)
    for i in range(2):
        batch = trainer.collate([trainer.fake_utterance() for _ in range(3)])
        print(i, trainer.step(batch))
    mel = trainer.synthesize(torch.randint(1, 60, (9,)))
    floor = mel.mean(dim=1, keepdim=True)
    print("synthesized", mel.shape, (mel - floor).abs().max().item())
