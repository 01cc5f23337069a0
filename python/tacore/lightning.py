"""Data module for Lightning: :class:`TacoDataModule` has the batches of the stages of a training.

Example:
    >>> from tacore.lightning import TacoDataModule
    >>> inputs = {"image": Input("s2", bands=[4, 3, 2], dtype="float32"), "label": Column("cover", classes=["no", "yes"])}
    >>> trainer.fit(model, datamodule=TacoDataModule("chips.tacozip", inputs, batch_size=32))
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._columns import cells_of, listed
from ._dataset import opened_rows
from ._errors import TacoQueryError
from ._torch import TorchIterableDataset
from .loader import Inputs, Rows

if TYPE_CHECKING:
    from ._dataframe import TacoDataFrame

LightningDataModule: Any = object
for _package in ("lightning.pytorch", "pytorch_lightning"):
    try:
        LightningDataModule = importlib.import_module(_package).LightningDataModule
        break
    except ImportError:
        pass

__all__ = ["TacoDataModule"]

Transform = Callable[..., Any]

#: Values of a column of splits for each stage, in lower case.
_SPLITS = {
    "train": ("train", "training"),
    "val": ("val", "valid", "validation", "dev"),
    "test": ("test", "testing"),
    "predict": ("test", "testing"),
}
_STAGES = tuple(_SPLITS)
#: Stages that Lightning sets up together.
_OF_SETUP = {"fit": ("train", "val"), "validate": ("val",), "test": ("test",), "predict": ("predict",)}


class TacoDataModule(LightningDataModule):  # type: ignore[misc]
    """A LightningDataModule: the batches of the stages train, val, test and predict.

    Batches are those of :class:`tacore.loader.TorchIterableDataset`: dicts of tensors for a mapping of inputs, read by
    threads, in the order of `seed` and the epoch of the trainer, divided among the ranks of a distributed training.
    Checkpoints of Lightning within an epoch have the position in the order, and training resumes with the next batch.
    For trainers of torchgeo pass ``transform=tacore.torchgeo.to_torchgeo``.

    Args:
        rows: Dataset or frame of the samples of all stages; or a path or list of paths, which :func:`tacore.load` opens.
        inputs: Inputs, as for :class:`tacore.loader.Loader`. With a mapping, batches are dicts by its names; else
            tuples.
        batch_size: Number of samples in a batch, for each rank.
        split: Column that says the stage of each sample: "train" or "training"; "val", "valid", "validation" or "dev";
            "test" or "testing", also for predict. Or a mapping from stages to SQL conditions, as for
            :meth:`tacore.TacoDataFrame.filter`: ``{"train": "fold > 0", "val": "fold = 0"}``.
        seed: Seed of the order of training; other stages have the order of the rows.
        transform: Function called with each batch; its result replaces the batch. Or a mapping from stages to such
            functions.
        with_row: Whether transforms are called as ``transform(batch, rows)``, with the rows of the samples as dicts.
        drop_last: Whether training leaves out the last step unless all ranks have a whole batch in it.
        on_error: raise: a sample that cannot be read is an error; skip: it is left out, with a warning of the logger
            "tacore".
        jobs: Number of threads that read and decode; 0: one for each processor.

    Raises:
        TypeError: `split` is neither text nor a mapping.
        ValueError: A mapping has a key that is not a stage.
        TacoQueryError: Raised by :meth:`setup`: there is no such column, a condition is invalid, or a stage has no
            samples.

    Example:
        >>> data = TacoDataModule("chips.tacozip", {"image": "s2", "mask": "label"}, batch_size=32, split="split", seed=7)
        >>> trainer.fit(model, datamodule=data)
    """

    def __init__(
        self,
        rows: Rows,
        inputs: Inputs = "",
        *,
        batch_size: int = 1,
        split: str | Mapping[str, str] = "split",
        seed: int = 0,
        transform: Transform | Mapping[str, Transform] | None = None,
        with_row: bool = False,
        drop_last: bool = False,
        on_error: str = "raise",
        jobs: int = 0,
    ) -> None:
        super().__init__()
        if not isinstance(split, (str, Mapping)):
            raise TypeError(
                "split: the name of a column, or a mapping from stages to SQL conditions is expected, not "
                f"{type(split).__name__}"
            )
        for name, given in (("split", split), ("transform", transform)):
            wrong = [stage for stage in given if stage not in _STAGES] if isinstance(given, Mapping) else []
            if wrong:
                raise ValueError(f"{name}: {wrong[0]!r} is not a stage; the stages are {', '.join(_STAGES)}")
        #: Number of samples in a batch, for each rank; may be changed, as the Tuner of Lightning does.
        self.batch_size = batch_size
        self._rows = opened_rows(rows)
        self._inputs = inputs
        self._split = split
        self._seed = seed
        self._transform = transform
        self._with_row = with_row
        self._drop_last = drop_last
        self._options: dict[str, Any] = {"on_error": on_error, "jobs": jobs}
        self._of_stage: dict[str, TacoDataFrame] = {}

    def setup(self, stage: str | None = None) -> None:
        """Selects the samples of a stage of the trainer: "fit", "validate", "test" or "predict"; None: those of fit.

        Raises:
            TacoQueryError: There is no such column, a condition is invalid, or the stage has no samples. A fit without
                samples for validation trains only.
        """
        for each in _OF_SETUP[stage or "fit"]:
            rows = self._select(each)
            if len(rows) or (each == "val" and stage != "validate"):
                self._of_stage[each] = rows
            else:
                raise TacoQueryError(f"TacoDataModule: no sample is of the stage {each!r}: {self._found(each)}")

    def train_dataloader(self) -> Any:
        """The batches of training, shuffled."""
        return self._batches("train", shuffle=True, seed=self._seed, drop_last=self._drop_last)

    def val_dataloader(self) -> Any:
        """The batches of validation; an empty list if it has no samples."""
        return [] if "val" in self._of_stage and not len(self._of_stage["val"]) else self._batches("val")

    def test_dataloader(self) -> Any:
        """The batches of the test."""
        return self._batches("test")

    def predict_dataloader(self) -> Any:
        """The batches of a prediction."""
        return self._batches("predict")

    def _select(self, stage: str) -> TacoDataFrame:
        if isinstance(self._split, Mapping):
            condition = self._split.get(stage)
            return self._rows.head(0) if condition is None else self._rows.filter(condition)
        if self._split not in self._rows.columns:
            raise TacoQueryError(
                f"TacoDataModule: the rows have no column {self._split!r} for the stages of the samples; split= names one "
                f"of {', '.join(self._rows.columns)}, or has a condition for each stage, such as "
                "{'train': 'fold > 0', 'val': 'fold = 0'}"
            )
        values = cells_of(self._rows, self._split)
        return self._rows._rows([at for at, value in enumerate(values) if str(value).lower() in _SPLITS[stage]])

    def _found(self, stage: str) -> str:
        if isinstance(self._split, Mapping):
            condition = self._split.get(stage)
            return "split has no condition for it" if condition is None else f"none has {condition}"
        values = sorted({str(value) for value in cells_of(self._rows, self._split)})
        return (
            f"the column {self._split!r} has the values {listed(values)}; one of "
            f"{', '.join(map(repr, _SPLITS[stage]))} is expected, or split={{{stage!r}: SQL condition}}"
        )

    def _batches(self, stage: str, **options: Any) -> _Batches:
        if stage not in self._of_stage:
            raise TacoQueryError(f"TacoDataModule: the samples of the stage {stage!r} are selected by setup(), first")
        rows = self._of_stage[stage]
        transform = self._transform.get(stage) if isinstance(self._transform, Mapping) else self._transform
        data = TorchIterableDataset(
            rows, self._inputs, batch_size=self.batch_size, transform=transform,
            with_row=self._with_row and transform is not None, **self._options, **(options or {"pad": True}),
        )  # fmt: skip
        return _Batches(data, self)


class _Batches:
    """The batches of a stage, which Lightning takes as a DataLoader whose state it stores in checkpoints."""

    def __init__(self, data: TorchIterableDataset, module: TacoDataModule) -> None:
        self._data = data
        self._module = module
        self._num_batches = len(data)

    def __len__(self) -> int:
        """Number of batches of a whole epoch: Lightning itself subtracts those before a resume."""
        return self._num_batches

    def __iter__(self) -> Iterator[Any]:
        # Runs with the first batch: Lightning makes the iterator before it knows the epoch of a checkpoint. It may also
        # end an epoch early (limit_train_batches), which for a Loader is no epoch yet.
        trainer = getattr(self._module, "trainer", None)
        if trainer is not None:
            self._data.set_epoch(trainer.current_epoch)
        yield from self._data

    def state_dict(self) -> dict[str, Any]:
        return self._data.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._data.load_state_dict(state)
