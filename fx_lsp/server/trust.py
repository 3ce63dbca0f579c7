"""Whether the models of a folder may be run, and whether its own configuration may say how."""

from __future__ import annotations

from enum import Enum

from fx_lsp.server.user_config import UserFile, set_trust

UNTRUSTED = "this folder is not trusted, so nothing of it is run; to trust it, run `fx-lsp trust` in it"
"""Said where there is nothing to click; that works with every editor."""


class Standing(Enum):
    """What a folder may do."""

    TRUSTED = "trusted"
    """It is run, and may choose its interpreter and its limits."""
    GUARDED = "guarded"
    """It is run, in a sandbox that is whole, with an interpreter and limits that are not its own choice."""
    UNTRUSTED = "untrusted"
    """Nothing of it is run."""

    @property
    def runs(self) -> bool:
        """Whether anything of it is run."""
        return self is not Standing.UNTRUSTED


class Trust:
    """The word of the one in front of the screen; where there is none, the user's own configuration.

    Nothing in a workspace, and no setting that one could bring along, has a say in it.
    """

    def __init__(
        self, user: UserFile | None = None, word: bool | None = None, otherwise: Standing = Standing.UNTRUSTED
    ) -> None:
        """`otherwise` is how folders stand of which nobody said anything."""
        self.user = user or UserFile()
        self.word = word
        """What the editor, or the command line, says of every folder."""
        self._otherwise = otherwise
        self._granted: set[str] = set()

    def of(self, root: str) -> Standing:
        """How the folder stands now."""
        if self.word is not None:
            return Standing.TRUSTED if self.word else Standing.UNTRUSTED
        trusted = root in self._granted or self.user.config.trusts(root)
        return Standing.TRUSTED if trusted else self._otherwise

    def grant(self, root: str) -> None:
        """The user trusts the folder: from now on, and in every session to come.

        Raises:
            OSError, ValueError: it could not be written down, so it holds for this session only.
        """
        self._granted.add(root)
        set_trust(self.user.path, root, True)
