#!/usr/bin/env python3
"""Kills trainings at random moments, and continues them with other numbers of ranks, workers and samples in a batch: every
sample of an epoch is used exactly once, in the order of an undisturbed training, and every rank has as many batches.

    check.py [--long] [--seed N]     a few kills; with --long 100

The ranks are processes of train.py, of which one is killed by SIGKILL, then the others. What counts is what they have
written down up to the latest step whose state all of them had saved; what they did after it is done again. The numbers
of the samples come from their pixels. Half of the trainings read from a server, through a common cache, and half shuffle
blocks of neighbours.
"""

import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "remote"), str(HERE.parent / "python")]

import tacore  # noqa: E402
from server import Server  # noqa: E402
from tacore.datamodel import Sample, Tortilla  # noqa: E402
from tacore.loader import Loader  # noqa: E402
from toolbox import make_taco  # noqa: E402

COUNT, EPOCHS = 211, 3


def raster(number):
    """A TIFF of 16 x 16 pixels of uint32, the first of which is `number`."""
    tags = [(256, 16), (257, 16), (258, 32), (259, 1), (262, 1), (273, 8), (277, 1), (278, 16), (279, 1024), (339, 1)]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    pixels = struct.pack("<I", number) + b"".join(struct.pack("<I", number * 7 + i) for i in range(255))
    return struct.pack("<2sHI", b"II", 42, 8 + 1024) + pixels + struct.pack("<H", len(tags)) + entries + bytes(4)


def undisturbed(dataset, options, epoch):
    shared = {name: value for name, value in options.items() if name.startswith("shuffle")}
    loader = Loader(dataset, batch_size=10, seed=options["seed"], epoch=epoch, **shared)
    return [int(sample.flat[0]) if hasattr(sample, "flat") else None for batch in loader for sample in batch[0]]


class Training:
    """One training, to its end, and what counts of what its ranks have written down."""

    def __init__(self, scratch, dataset, options, environment):
        self.scratch, self.dataset, self.options, self.environment = scratch, dataset, options, environment
        self.counted = {}  # (epoch, step) to the samples of each rank
        self.begin = {"epoch": 0, "start": 0, "step": 0}
        self.num_runs = 0

    def run(self, random, kills):
        """One run of all ranks; True when they came to the end."""
        self.num_runs += 1
        folder = self.scratch / f"run{self.num_runs}"
        folder.mkdir(parents=True)
        left = COUNT - self.begin["start"]  # fewer than ranks would leave one without a batch, which is refused
        world_size = min(random.choice([1, 2, 3, 4]), left or 4)
        options = {**self.options, "world_size": world_size, "num_workers": random.choice([1, 1, 2, 3]),
                   "batch_size": random.choice([2, 3, 5, 8]), "epochs": EPOCHS, "begin": self.begin}  # fmt: skip
        processes = []
        for rank in range(world_size):
            given = json.dumps({**options, "rank": rank, "slow": random.random()})
            command = [sys.executable, "-B", HERE / "train.py", self.dataset, folder / f"record{rank}", folder, given]
            processes.append(subprocess.Popen(list(map(str, command)), env=self.environment, stderr=subprocess.PIPE))
        if kills:
            self.wait_and_kill(random, folder, processes)
        codes = []
        for process in processes:
            errors = process.communicate(timeout=300)[1].decode()
            codes.append(process.returncode)
            assert process.returncode in (0, -9), errors
        self.count(folder, world_size, codes)
        return codes == [0] * world_size

    def wait_and_kill(self, random, folder, processes):
        while not any(folder.glob("record*")) and all(process.poll() is None for process in processes):
            time.sleep(0.002)
        time.sleep(random.random() ** 2 * 1.5)
        for process in random.sample(processes, len(processes)):
            process.kill()
            time.sleep(random.random() * 0.03)

    def count(self, folder, world_size, codes):
        """Takes what was done up to the latest step that all ranks have saved."""
        steps = [{int(file.name[:6]) for file in folder.glob(f"*-{rank}.json")} for rank in range(world_size)]
        common = set.intersection(*steps)
        if not common:
            return
        end = max(common)
        states = [json.loads((folder / f"{end:06d}-{rank}.json").read_text()) for rank in range(world_size)]
        assert all(state == states[0] for state in states), states
        lengths = {max(mine) for mine in steps} if codes == [0] * world_size else {0}
        assert len(lengths) == 1, f"ranks have {lengths} batches"
        for rank in range(world_size):
            text = (folder / f"record{rank}").read_text()
            lines = [json.loads(line) for line in text.splitlines(True) if line.endswith("\n")]
            mine = [line for line in lines if line["step"] < end]
            assert [line["step"] for line in mine] == list(range(self.begin["step"], end)), (rank, end, mine[-3:])
            for line in mine:
                self.counted.setdefault((line["epoch"], line["step"]), {})[rank] = line["samples"]
        self.begin = states[0]

    def prove(self):
        used = {}
        for (epoch, _), ranks in sorted(self.counted.items()):
            used.setdefault(epoch, []).extend(number for _, some in sorted(ranks.items()) for number in some)
        assert sorted(used) == list(range(EPOCHS)), sorted(used)
        for epoch, numbers in used.items():
            assert sorted(numbers) == list(range(COUNT)), f"epoch {epoch}: lost or repeated samples"
            assert numbers == undisturbed(self.dataset, self.options, epoch), f"epoch {epoch}: another order"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random_ = random.Random(given.seed)
    most = 100 if given.long else 8
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        (scratch / "served").mkdir()
        samples = [Sample(id=f"s{number:04d}", path=raster(number)) for number in range(COUNT)]
        local = scratch / "served" / "numbers.tacozip"
        tacore.create(make_taco(Tortilla(samples)), local)
        kills = runs = trainings = 0
        with Server(scratch / "served") as server:
            while kills < most:
                trainings += 1
                blocks = {"shuffle_block": random_.choice([1, 7, 40]), "shuffle_window": random_.choice([1, 3, 16])}
                options = {"seed": random_.randrange(1000), "prefetch": random_.choice([0, 2, 5]),
                           **(blocks if trainings % 2 else {})}  # fmt: skip
                dataset = server.url("numbers.tacozip") if trainings % 4 in (1, 2) else str(local)
                cache = {"TACO_CACHE_DIR": str(scratch / f"cache{trainings}")}
                training = Training(scratch / str(trainings), dataset, options, {**os.environ, **cache})
                while True:
                    is_killed = kills < most and training.num_runs < most // 2
                    if training.run(random_, is_killed):
                        break
                    kills += 1
                training.prove()
                runs += training.num_runs
    print(
        f"{trainings} trainings of {EPOCHS} epochs, {kills} kills, {runs} runs; each sample once in each epoch (seed {given.seed})"
    )


main()
