"""The data module for Lightning: its stages without Lightning, and trainings where it is installed."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import tacore
from tacore.lightning import TacoDataModule
from tacore.loader import Column, Loader

numpy = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
FLAT = ROOT / "examples" / "data" / "landsat.tacozip"
INPUTS = {"image": "", "label": Column("split", classes=["train", "validation", "test"]), "id": Column("id")}


def ids_of(batches: Any) -> list[str]:
    return [id for batch in batches for id in batch["id"]]


def ids_in_order(condition: str, **options: Any) -> list[str]:
    """The ids of a Loader over the rows of a condition."""
    rows = tacore.load(FLAT).sql(f"SELECT * FROM data WHERE {condition}")
    return [id for batch in Loader(rows, INPUTS, **options) for id in batch["id"]]


def test_a_column_has_the_stages() -> None:
    data = TacoDataModule(FLAT, INPUTS, batch_size=3, seed=5)
    for stage in ("fit", "test", "predict"):
        data.setup(stage)
    train = data.train_dataloader()
    assert len(train) == -(-len(ids_in_order("split = 'train'")) // 3)
    assert ids_of(train) == ids_in_order("split = 'train'", seed=5)
    assert ids_of(train) == ids_in_order("split = 'train'", seed=5, epoch=1)
    for _ in range(2):
        assert ids_of(data.val_dataloader()) == ids_in_order("split = 'validation'")
    assert ids_of(data.test_dataloader()) == ids_of(data.predict_dataloader()) == ids_in_order("split = 'test'")


@pytest.mark.parametrize("backend", ["pyarrow", "polars", "pandas"])
def test_a_column_that_was_set_in_python_has_the_stages(backend: str) -> None:
    pytest.importorskip(backend)
    rows = tacore.load(FLAT, backend=backend).data
    rows["part"] = ["Dev", "training", "TRAIN", None] * 4
    data = TacoDataModule(rows, INPUTS, batch_size=16, split="part")
    data.setup("fit")
    ids = [f"tile_r{row}_c{column}" for row in range(4) for column in range(4)]
    assert ids_of(data.val_dataloader()) == ids[::4]
    assert sorted(ids_of(data.train_dataloader())) == sorted(ids[1::4] + ids[2::4])


def test_conditions_have_the_stages() -> None:
    conditions = {"train": "vegetation > 0.1", "val": "vegetation <= 0.1", "predict": "true"}
    data = TacoDataModule(tacore.load(FLAT), INPUTS, split=conditions, batch_size=4)
    data.setup("fit")
    data.setup("predict")
    assert sorted(ids_of(data.train_dataloader())) == sorted(ids_in_order("vegetation > 0.1"))
    assert ids_of(data.val_dataloader()) == ids_in_order("vegetation <= 0.1")
    assert len(ids_of(data.predict_dataloader())) == 16
    with pytest.raises(tacore.TacoQueryError, match="no sample is of the stage 'test': split has no condition for it"):
        data.setup("test")


def test_batches_before_setup_are_told() -> None:
    data = TacoDataModule(FLAT, INPUTS)
    for make, stage in (
        (data.train_dataloader, "train"),
        (data.val_dataloader, "val"),
        (data.predict_dataloader, "predict"),
    ):
        with pytest.raises(tacore.TacoQueryError, match=rf"the stage '{stage}' are selected by setup\(\), first"):
            make()


def test_a_training_needs_no_validation() -> None:
    data = TacoDataModule(FLAT, INPUTS, split={"train": "water < 0.5", "test": "water > 7"})
    data.setup("fit")
    assert data.val_dataloader() == []
    for stage, words in (("test", "'test': none has water > 7"), ("validate", "'val': split has no condition")):
        with pytest.raises(tacore.TacoQueryError, match=f"no sample is of the stage {words}"):
            data.setup(stage)


def test_transforms_are_those_of_the_stage() -> None:
    def flip(batch: Any, rows: Any) -> Any:
        return {**batch, "id": [row["id"] + "!" for row in rows]}

    data = TacoDataModule(FLAT, INPUTS, batch_size=4, transform={"train": flip}, with_row=True)
    data.setup()
    assert all(id.endswith("!") for id in ids_of(data.train_dataloader()))
    assert not any(id.endswith("!") for id in ids_of(data.val_dataloader()))
    both = TacoDataModule(FLAT, INPUTS, transform=lambda batch: {"id": ["x"]})
    both.setup()
    assert set(ids_of(both.train_dataloader())) == set(ids_of(both.val_dataloader())) == {"x"}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (
            {"split": 3},
            TypeError,
            "the name of a column, or a mapping from stages to SQL conditions is expected, not int",
        ),
        (
            {"split": {"fit": "true"}},
            ValueError,
            "split: 'fit' is not a stage; the stages are train, val, test, predict",
        ),
        ({"transform": {"training": len}}, ValueError, "transform: 'training' is not a stage"),
        (
            {"split": "fold"},
            tacore.TacoQueryError,
            "the rows have no column 'fold' for the stages of the samples; split= names one of id, .*, split, .*, or has a "
            "condition for each stage, such as {'train': 'fold > 0', 'val': 'fold = 0'}",
        ),
        ({"split": {"train": "nothing > 3"}}, tacore.TacoQueryError, "nothing"),
        (
            {"split": "stac:crs"},
            tacore.TacoQueryError,
            "no sample is of the stage 'train': the column 'stac:crs' has the values 'EPSG:31985'; one of 'train', "
            "'training' is expected, or split={'train': SQL condition}",
        ),
    ],
)
def test_wrong_stages_are_told(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        TacoDataModule(FLAT, INPUTS, **arguments).setup("fit")


# Lightning itself.


@pytest.fixture(scope="module")
def lightning() -> Any:
    return pytest.importorskip("lightning.pytorch", reason="Lightning is not installed")


@pytest.fixture
def trainer_of(lightning: Any, tmp_path: Path) -> Any:
    """Makes trainers without output."""

    def make(**options: Any) -> Any:
        quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False, "devices": 1}
        return lightning.Trainer(default_root_dir=tmp_path, accelerator="cpu", **{**quiet, **options})

    return make


@pytest.fixture
def model(lightning: Any) -> Any:
    """A model that notes the ids of the samples of each stage."""
    torch = importlib.import_module("torch")

    class Model(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(6, 3)
            self.seen: dict[str, list[str]] = {"train": [], "val": [], "test": [], "predict": []}
            self.folder: Path | None = None

        def on_train_end(self) -> None:
            if self.folder is not None:  # for the test of several processes
                (self.folder / f"rank{self.trainer.global_rank}").write_text(" ".join(self.seen["train"]))

        def loss(self, batch: Any) -> Any:
            return torch.nn.functional.cross_entropy(self.layer(batch["image"].float().mean((2, 3))), batch["label"])

        def training_step(self, batch: Any, at: int) -> Any:
            self.seen["train"] += batch["id"]
            return self.loss(batch)

        def validation_step(self, batch: Any, at: int) -> Any:
            self.seen["val"] += batch["id"]
            return self.loss(batch)

        def test_step(self, batch: Any, at: int) -> Any:
            self.seen["test"] += batch["id"]

        def predict_step(self, batch: Any, at: int) -> Any:
            self.seen["predict"] += batch["id"]
            return self.layer(batch["image"].float().mean((2, 3)))

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 1e-4)

    return Model


def in_epochs(epochs: range) -> list[str]:
    return [id for epoch in epochs for id in ids_in_order("split = 'train'", seed=5, epoch=epoch)]


def test_a_trainer_runs_all_stages(lightning: Any, trainer_of: Any, model: Any) -> None:
    data = TacoDataModule(FLAT, INPUTS, batch_size=3, seed=5)
    assert isinstance(data, lightning.LightningDataModule)
    learner, trainer = model(), trainer_of(max_epochs=3, num_sanity_val_steps=0)
    trainer.fit(learner, datamodule=data)
    assert learner.seen["train"] == in_epochs(range(3))
    assert learner.seen["val"] == ids_in_order("split = 'validation'") * 3
    trainer.test(learner, datamodule=data)
    assert learner.seen["test"] == ids_in_order("split = 'test'")
    outputs = trainer.predict(learner, datamodule=data)
    assert sum(len(each) for each in outputs) == len(learner.seen["predict"]) == len(learner.seen["test"])
    trainer.validate(learner, datamodule=data)
    assert learner.seen["val"] == ids_in_order("split = 'validation'") * 4


def test_epochs_that_end_early_have_different_samples(trainer_of: Any, model: Any) -> None:
    learner = model()
    trainer_of(max_epochs=2, limit_train_batches=2).fit(
        learner, datamodule=TacoDataModule(FLAT, INPUTS, batch_size=2, seed=5)
    )
    assert learner.seen["train"] == [id for epoch in (0, 1) for id in in_epochs(range(epoch, epoch + 1))[:4]]


@pytest.mark.parametrize("num_steps", [1, 3, 4, 6])  # an epoch has 3
def test_a_checkpoint_resumes_with_the_next_batch(
    lightning: Any, trainer_of: Any, model: Any, tmp_path: Path, num_steps: int
) -> None:
    save = lightning.callbacks.ModelCheckpoint(tmp_path, every_n_train_steps=num_steps, save_last=True)
    first = model()
    data = {"batch_size": 3, "seed": 5}
    trainer_of(max_steps=num_steps, callbacks=[save]).fit(first, datamodule=TacoDataModule(FLAT, INPUTS, **data))
    again = model()
    trainer_of(max_epochs=3, num_sanity_val_steps=0).fit(
        again, datamodule=TacoDataModule(FLAT, INPUTS, **data), ckpt_path=tmp_path / "last.ckpt"
    )
    assert first.seen["train"] + again.seen["train"] == in_epochs(range(3))


def test_ranks_share_the_epochs(trainer_of: Any, model: Any, tmp_path: Path) -> None:
    learner = model()
    learner.folder = tmp_path
    trainer = trainer_of(max_epochs=2, devices=2, strategy="ddp_fork", enable_checkpointing=False)
    trainer.fit(learner, datamodule=TacoDataModule(FLAT, INPUTS, batch_size=2, seed=5))
    ranks = [(tmp_path / f"rank{rank}").read_text().split() for rank in range(2)]
    steps = [ranks[rank][at : at + 2] for at in range(0, len(ranks[0]), 2) for rank in range(2)]
    assert [id for step in steps for id in step] == in_epochs(range(2))
