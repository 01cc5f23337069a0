"""Trains a model that classifies vegetation from two bands of an image, on a dataset whose samples have the FILEs
`optical` and `mask`, and prints its accuracy. Needs NumPy.

    train.py PATH

DEMONSTRATES:
* the loader: two inputs of each sample, bands, scaling, batches in a different order in each epoch
* stopping within an epoch and resuming from one integer

SIMPLER EXAMPLES: navigate
"""

import sys

import numpy as np
from numpy.typing import NDArray

import tacore
from tacore.loader import Input, Loader

Weights = NDArray[np.float64]  # weights of the red and the near-infrared band, and the bias


def learn(weights: Weights, image: NDArray[np.float32], mask: NDArray[np.uint8]) -> float:
    """One step of gradient descent; shapes are (n, 2, 64, 64) and (n, 1, 64, 64). Returns the accuracy before."""
    pixels = np.moveaxis(image, 1, -1).reshape(-1, 2)
    chance = 1 / (1 + np.exp(-(pixels @ weights[:2] + weights[2])))
    error = chance - (mask.reshape(-1) == 1)
    weights[:2] -= 10 * error @ pixels / len(pixels)
    weights[2] -= 10 * error.mean()
    return float((np.abs(error) < 0.5).mean())


def train(path: str) -> None:
    rows = tacore.load(path).data
    inputs = {"image": Input("optical", bands=[3, 4], scale=(1 / 40, -1.5)), "mask": Input("mask")}
    loader = Loader(rows, inputs, batch_size=2, seed=7)
    weights = np.zeros(3)
    for epoch in range(3):  # each pass over the loader is the next epoch, in another order
        right = [learn(weights, batch["image"], batch["mask"]) for batch in loader]
        print(f"epoch {epoch}: {100 * np.mean(right):.1f} %")
    # Training that stops after two batches resumes after them, here with larger batches.
    batches = iter(loader)
    stopped = [next(batches), next(batches)][-1]
    for batch in Loader(rows, inputs, batch_size=10, seed=7, epoch=3, start=stopped.next_start):
        print(f"after {stopped.next_start}: {len(batch.positions)} samples")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: train.py PATH")
    train(sys.argv[1])
