"""A field of rocks on which many rovers look for their flags at once; everything is numpy."""
import numpy as np

MOVES = np.array([[0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]])


class RoverField:
    def __init__(self, n, size=9, n_rocks=8, horizon=24, seed=0):
        self.n, self.size, self.n_rocks, self.horizon = n, size, n_rocks, horizon
        self.rng = np.random.default_rng(seed)
        self.rocks = np.zeros((n, size + 4, size + 4), dtype=bool)
        self.rover, self.flag = np.zeros((2, n, 2), dtype=np.int64)
        self.clock = np.zeros(n, dtype=np.int64)

    def reset(self, which=None):
        which = np.arange(self.n) if which is None else which
        for i in which:
            cells = self.rng.permutation(self.size**2)[: self.n_rocks + 2]
            places = np.stack([cells // self.size, cells % self.size], axis=1) + 2
            self.rocks[i] = True
            self.rocks[i, 2:-2, 2:-2] = False
            self.rocks[i, places[2:, 0], places[2:, 1]] = True
            self.rover[i], self.flag[i] = places[0], places[1]
            self.clock[i] = 0
        return self.observe()

    def observe(self):
        """What each rover sees: a patch of 5 x 5 cells around it, and the way to its flag."""
        rows = self.rover[:, 0, None, None] + np.arange(-2, 3)[:, None]
        cols = self.rover[:, 1, None, None] + np.arange(-2, 3)[None, :]
        who = np.arange(self.n)[:, None, None]
        rocks = self.rocks[who, rows, cols]
        flags = (rows == self.flag[:, 0, None, None]) & (cols == self.flag[:, 1, None, None])
        patch = np.stack([rocks, flags], axis=1).astype(np.float32)
        way = (self.flag - self.rover) / self.size
        far = np.abs(way).sum(axis=1, keepdims=True)
        late = self.clock[:, None] / self.horizon
        sense = np.concatenate([way, far, late], axis=1).astype(np.float32)
        ahead = self.rover[:, None] + MOVES
        legal = ~self.rocks[np.arange(self.n)[:, None], ahead[..., 0], ahead[..., 1]]
        return {"patch": patch, "sense": sense, "legal": legal}

    def step(self, action):
        before = np.abs(self.flag - self.rover).sum(axis=1)
        self.rover = self.rover + MOVES[action]
        after = np.abs(self.flag - self.rover).sum(axis=1)
        self.clock += 1
        reward = 0.1 * (before - after) - 0.02 + (after == 0)
        done = (after == 0) | (self.clock >= self.horizon)
        if done.any():
            self.reset(np.flatnonzero(done))
        return self.observe(), reward.astype(np.float32), done
