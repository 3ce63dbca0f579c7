import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from speech_model import SpeechModel

LETTERS = "abcdefghij '"
PAD, SOS, EOS = 0, 1, 2
VOCAB = len(LETTERS) + 3
N_MELS = 40
N_FFT = 128
RATE = 8000


def mel_filters(n_mels, n_bins):
    """Triangles on the mel scale, [n_bins, n_mels]."""
    top = 2595 * torch.log10(torch.tensor(1 + RATE / 2 / 700))
    centers = 700 * (10 ** (torch.linspace(0, top.item(), n_mels + 2) / 2595) - 1)
    freqs = torch.linspace(0, RATE / 2, n_bins)
    left, mid, right = centers[:-2], centers[1:-1], centers[2:]
    up = (freqs[:, None] - left) / (mid - left)
    down = (right - freqs[:, None]) / (right - mid)
    return torch.minimum(up, down).clamp(min=0)


FILTERS = mel_filters(N_MELS, N_FFT // 2 + 1)


def log_mel(wave):
    """[samples] -> [frames, n_mels]"""
    spec = torch.stft(wave, N_FFT, hop_length=64, window=torch.hann_window(N_FFT),
                      return_complex=True)
    power = spec.abs() ** 2
    return torch.log(power.T @ FILTERS + 1e-6)


def make_utterance(length, generator):
    letters = torch.randint(0, len(LETTERS), (length,), generator=generator)
    time = torch.arange(800) / RATE
    tones = torch.sin(2 * torch.pi * (300 + 250 * letters[:, None]) * time)
    wave = tones.flatten()
    wave = wave + 0.05 * torch.randn(wave.shape, generator=generator)
    return log_mel(wave), letters + 3


def make_batch(size, generator):
    lengths = torch.randint(2, 6, (size,), generator=generator).tolist()
    mels, texts = zip(*[make_utterance(n, generator) for n in lengths])
    mel_lengths = torch.tensor([len(m) for m in mels])
    text_lengths = torch.tensor([len(t) for t in texts])
    mels = pad_sequence(mels, batch_first=True)
    texts = pad_sequence(texts, batch_first=True, padding_value=PAD)
    return mels, mel_lengths, texts, text_lengths


def teacher_tokens(texts):
    """What goes into the speller and what should come out."""
    sos = torch.full((texts.size(0), 1), SOS)
    end = torch.full((texts.size(0), 1), PAD)
    inputs = torch.cat([sos, texts], dim=1)
    targets = torch.cat([texts, end], dim=1)
    first_pad = (targets == PAD).long().argmax(dim=1)
    targets[torch.arange(len(targets)), first_pad] = EOS
    return inputs, targets


def losses(model, batch):
    mels, mel_lengths, texts, text_lengths = batch
    inputs, targets = teacher_tokens(texts)
    logits, ctc, lengths, coverage = model(mels, mel_lengths, inputs)
    attention = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=PAD)
    alignment = F.ctc_loss(ctc.transpose(0, 1), texts, lengths, text_lengths,
                           blank=PAD, zero_infinity=True)
    spread = coverage.std(dim=1).mean()
    return attention, alignment, spread


def main():
    generator = torch.Generator().manual_seed(1)
    torch.manual_seed(1)
    model = SpeechModel(VOCAB, N_MELS)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(3):
        batch = make_batch(4, generator)
        attention, alignment, spread = losses(model, batch)
        loss = 0.7 * attention + 0.3 * alignment + 0.01 * spread
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(step, round(loss.item(), 3))
    guesses = model.greedy(batch[0], batch[1], SOS)
    for row in guesses.tolist():
        print("".join(LETTERS[i - 3] for i in row if i > 2))


main()
