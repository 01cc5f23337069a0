"""Which of many cases are run: all of them in `check long`, and else always the same part."""
import os
import random

IS_LONG = "TACORE_LONG_TESTS" in os.environ


def sampled(items):
    """About a third of these, the first and the last among them; all of them in `check long`."""
    items, source = list(items), random.Random(1)
    chosen = [source.randrange(3) == 0 for _ in items]
    return [item for at, item in enumerate(items) if IS_LONG or chosen[at] or at in (0, len(items) - 1)]
