from dataclasses import dataclass


@dataclass
class GameConfig:
    board: int = 9
    history: int = 4
    filters: int = 48
    blocks: int = 3
    policy_filters: int = 4
    value_hidden: int = 64
    value_bins: int = 11
    groups: int = 8

    @property
    def planes(self):
        return 2 * self.history + 1

    @property
    def actions(self):
        return self.board**2 + 1
