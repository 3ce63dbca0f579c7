"""How busy the machine is: a time limit counts seconds on the clock, of which a run gets only a part among many."""

from __future__ import annotations

import os

MOST = 3.0
"""Times as long as usual that a run may take at most: what processor time it may use is limited, too."""
LEAST = 1.25
"""Less than that is no reason to wait longer."""


def crowding() -> float:
    """How many processes there were for each processor in the last minute; one where that is not known."""
    try:
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows keeps no count
        return 1.0
    return min(load, MOST) if load >= LEAST else 1.0


def patience(seconds: float) -> float:
    """The time limit of a run that nobody looks at."""
    crowded = crowding()
    return float(round(seconds * crowded)) if crowded > 1.0 else seconds
