"""Input pipeline of the QA model (was: tf.data).  Facts "X lives in Y", questions "where does X live"."""
import random

import torch

NAMES = ["anna", "boris", "carla", "dmitri", "elena", "farid", "greta", "hugo"]
PLACES = ["oslo", "new york", "lima", "cape town", "kyoto", "sofia"]
FILL = ["today", "it", "rains", "often", "and", "people", "walk", "home"]


def make_example(rng):
    people = rng.sample(NAMES, 3)
    asked = rng.choice(people)
    context, answer = [], None
    for person in people:
        place = rng.choice(PLACES).split()
        context += [person, "lives", "in"]
        if person == asked:
            answer = (len(context), len(context) + len(place) - 1)
        context += place + ["."]
        context += rng.choices(FILL, k=rng.randint(0, 3))
    return context, ["where", "does", asked, "live", "?"][rng.randint(0, 1):], answer


def build_vocab(examples):
    words = sorted({w for context, question, _ in examples for w in context + question})
    word_index = {w: i for i, w in enumerate(["<pad>", "<unk>"] + words)}
    chars = sorted({c for w in words for c in w})
    char_index = {c: i for i, c in enumerate(["<pad>", "<unk>"] + chars)}
    return word_index, char_index


def pad_sequences(sequences, value=0):
    maxlen = max(len(s) for s in sequences)
    return torch.tensor([s + [value] * (maxlen - len(s)) for s in sequences])


class Batches:
    def __init__(self, examples, word_index, char_index, batch_size, word_len=7):
        self.examples = examples
        self.word_index = word_index
        self.char_index = char_index
        self.batch_size = batch_size
        self.word_len = word_len

    def words(self, tokens):
        return [self.word_index.get(t, 1) for t in tokens]

    def chars(self, sequences):
        longest = max(len(s) for s in sequences)
        out = torch.zeros(len(sequences), longest, self.word_len, dtype=torch.long)
        for i, tokens in enumerate(sequences):
            for j, token in enumerate(tokens):
                for k, c in enumerate(token[: self.word_len]):
                    out[i, j, k] = self.char_index.get(c, 1)
        return out

    def __iter__(self):
        for start in range(0, len(self.examples), self.batch_size):
            contexts, questions, spans = zip(*self.examples[start : start + self.batch_size])
            inputs = {
                "context": pad_sequences([self.words(c) for c in contexts]),
                "question": pad_sequences([self.words(q) for q in questions]),
                "context_chars": self.chars(contexts),
                "question_chars": self.chars(questions),
            }
            yield inputs, torch.tensor(spans)
