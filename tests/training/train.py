"""A rank of a training, for check.py: it writes down which samples it was given, and saves the state of its loaders.

    train.py DATASET RECORD STATE OPTIONS

OPTIONS is JSON: rank, world_size, num_workers, batch_size, seed, epochs, and options of blocks. RECORD is a file to which
a line is appended for each batch: the numbers in the pixels of its samples, which tell the samples apart without the loader's
word; lines are written after the batch was used, by one write() each. STATE is a folder, with a file for each step that
a rank saved: it is renamed into it, so that it is whole or absent. The training continues from the latest step that the
starter names in OPTIONS.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from tacore.loader import Loader


def loaders_of(dataset: str, options: dict[str, Any]) -> list[Any]:
    """A loader for each worker: with more than one, they take turns as the workers of a DataLoader do."""
    shared = {name: options[name] for name in ("rank", "world_size", "batch_size", "seed")}
    shared.update({name: options[name] for name in ("shuffle_block", "shuffle_window", "prefetch") if name in options})
    count = options["num_workers"]
    return [Loader(dataset, shard=(index, count), jobs=1, **shared) for index in range(count)]


def numbers_of(batch: Any) -> list[int]:
    """The number of each sample, which is in its pixels."""
    pixels = memoryview(bytes(memoryview(batch[0]))).cast("I")
    size = len(pixels) // len(batch.positions)
    return [pixels[size * slot] for slot in range(len(batch.positions))]


def save(folder: Path, rank: int, step: int, state: dict[str, Any]) -> None:
    """Written beside and renamed: a training that is killed meanwhile leaves the older states."""
    part = folder / f"part-{rank}-{os.getpid()}"
    part.write_text(json.dumps(state))
    part.rename(folder / f"{step:06d}-{rank}.json")


def main() -> None:
    dataset, record, folder, text = sys.argv[1:]
    options = json.loads(text)
    slow = random.Random(options["slow"])
    begin = options.get("begin", {"epoch": 0, "start": 0, "step": 0})
    step = begin["step"]
    with open(record, "ab", buffering=0) as out:
        for epoch in range(begin["epoch"], options["epochs"]):
            loaders = loaders_of(dataset, options)
            for loader in loaders:
                start = begin["start"] if epoch == begin["epoch"] else 0
                loader.load_state_dict({**loader.state_dict(), "epoch": epoch, "start": start, "turn": None})
            passes = [iter(loader) for loader in loaders]
            for turn in range(sum(len(loader) for loader in loaders)):
                batch = next(passes[turn % len(passes)])
                time.sleep(slow.random() * 0.004)
                line = {"step": step, "epoch": epoch, "rank": options["rank"], "samples": numbers_of(batch)}
                out.write(json.dumps(line).encode() + b"\n")
                step += 1
                save(Path(folder), options["rank"], step, {"epoch": epoch, "start": batch.next_start, "step": step})
            assert all(next(each, None) is None for each in passes)


main()
