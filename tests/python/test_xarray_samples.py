"""Samples of a dataset as lazy arrays of xarray and Dask."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

for package in ("numpy", "xarray", "dask.array"):
    pytest.importorskip(package)
import numpy

import tacore
from tacore import distributed
from tacore.datamodel import Sample, Taco, Tortilla
from tacore.loader import Column, Input
from test_distributed import ABOUT, EXAMPLES, dask_client, tiff  # noqa: F401
from test_map_samples import as_read_by_rasterio

sys.path.append(str(Path(__file__).resolve().parents[1] / "remote"))

from server import Server  # noqa: E402

FLAT = EXAMPLES / "landsat.tacozip"
NESTED = EXAMPLES / "landsat_nested.tacozip"


@pytest.mark.parametrize("rows_per_chunk", [None, 1, 3, 1000])
def test_pixels_are_those_of_the_files(rows_per_chunk: Any) -> None:
    samples = distributed.open_xarray(FLAT, rows_per_chunk=rows_per_chunk)
    pixels = samples["band_data"]
    assert pixels.dims == ("sample", "band", "y", "x") and pixels.chunks is not None
    expected = numpy.stack(as_read_by_rasterio(FLAT))
    assert pixels.dtype == expected.dtype
    assert numpy.array_equal(pixels.values, expected)
    assert numpy.array_equal(pixels[3:9, ::2, 5, :7].values, expected[3:9, ::2, 5, :7])
    assert samples.id.values.tolist() == [row["id"] for row in tacore.load(FLAT).data]
    assert samples.band.values.tolist() == list(range(1, expected.shape[1] + 1))
    assert float(pixels.mean()) == pytest.approx(expected.mean())


def test_inputs_columns_and_coordinates() -> None:
    rows = tacore.load(NESTED).sql("SELECT * FROM data WHERE split = 'train'").data
    inputs = {"image": Input("optical", [4, 2], dtype="float32"), "mask": "mask", "where": Column("split")}
    samples = distributed.open_xarray(rows, inputs, columns=["split", "stac:time_start", "stac:tensor_shape"])
    assert samples.image.dims == ("sample", "band_image", "y", "x")
    assert samples.mask.dims == ("sample", "band_mask", "y", "x")
    assert samples.band_image.values.tolist() == [4, 2] and samples.image.dtype == numpy.float32
    assert samples["where"].values.tolist() == samples.split.values.tolist() == ["train"] * len(rows)
    assert samples["stac:time_start"].dtype.kind == "M" and samples["stac:tensor_shape"].dtype == object
    every = as_read_by_rasterio(NESTED, "optical")
    at = [n for n, row in enumerate(tacore.load(NESTED).data) if row["split"] == "train"]
    assert numpy.array_equal(samples.image.values, numpy.stack([every[n][[3, 1]] for n in at]).astype("float32"))
    window = distributed.open_xarray(rows, Input("optical", 1, window=(8, 4, 16, 10)))
    name = next(iter(window.data_vars))
    assert numpy.array_equal(window[name].values, numpy.stack([every[n][:1, 4:14, 8:24] for n in at]))


def test_missing_values_of_columns(tmp_path: Path) -> None:
    samples = [Sample(id=f"s{n}", path=tiff(n), cloud=n or None, name=f"n{n}" if n else None) for n in range(3)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "x.tacozip")
    made = distributed.open_xarray(tmp_path / "x.tacozip", columns=["cloud", "name"])
    assert numpy.isnan(made.cloud.values[0]) and made.cloud.values[1:].tolist() == [1.0, 2.0]
    assert made.name.isnull().values.tolist() == [True, False, False] and made.name.values[1:].tolist() == ["n1", "n2"]


def test_opening_reads_no_pixels_and_chunks_read_their_own(tmp_path: Path) -> None:
    samples = [Sample(id=f"s{n}", path=tiff(n)) for n in range(400)]
    tacore.create(Taco(Tortilla(samples), **ABOUT), tmp_path / "many.tacozip")
    with Server(tmp_path) as server:
        made = distributed.open_xarray(server.url("many.tacozip"), rows_per_chunk=10)
        opened = server.sent
        assert made["band_data"].shape == (400, 1, 8, 8)
        made["band_data"][25:27].compute()
        size = (tmp_path / "many.tacozip").stat().st_size
        assert server.sent - opened < size / 2 and opened < size


def test_dask_workers_read(dask_client: Any) -> None:  # noqa: F811
    samples = distributed.open_xarray(FLAT, rows_per_chunk=4)
    means = samples["band_data"].mean(["sample", "y", "x"]).compute()
    assert means.values == pytest.approx(numpy.stack(as_read_by_rasterio(FLAT)).mean(axis=(0, 2, 3)))


def test_samples_that_differ_or_cannot_be_read_are_told(tmp_path: Path) -> None:
    flat = tacore.load(FLAT).data
    for data, kind, text in (
        (
            tiff(1),
            tacore.TacoSchemaError,
            r"sample 's1' \(row 1\): band_data is float32 \(1, 8, 8\); uint8 \(6, 64, 64\)",
        ),
        (b"none", tacore.TacoFormatError, r"sample 's1' \(row 1\)"),
    ):
        path = tmp_path / f"{len(data)}.tacozip"
        files = [flat.read_bytes(0), data, flat.read_bytes(1)]
        tacore.create(Taco(Tortilla([Sample(id=f"s{n}", path=each) for n, each in enumerate(files)]), **ABOUT), path)
        samples = distributed.open_xarray(path, rows_per_chunk=1)
        with pytest.raises(kind, match=text):
            samples["band_data"].compute()
        assert samples["band_data"][2].compute().shape == (6, 64, 64)


def test_a_dataset_that_is_replaced_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.tacozip"
    path.write_bytes(FLAT.read_bytes())
    samples = distributed.open_xarray(path)
    path.unlink()
    path.write_bytes(NESTED.read_bytes())
    with pytest.raises(tacore.TacoError, match="changed since"):
        samples["band_data"].compute()


def test_wrong_arguments_are_told() -> None:
    for arguments, options, kind, text in (
        ((), {"rows_per_chunk": 0}, tacore.TacoQueryError, "rows_per_chunk"),
        ((), {"columns": ["nothing"]}, tacore.TacoQueryError, "no column 'nothing'"),
        ((Column("split"),), {}, tacore.TacoQueryError, "all inputs are columns"),
        (("optical",), {}, tacore.TacoError, "optical"),
    ):
        with pytest.raises(kind, match=text):
            distributed.open_xarray(FLAT, *arguments, **options)
    with pytest.raises(tacore.TacoQueryError, match="no samples"):
        distributed.open_xarray(tacore.load(FLAT).sql("SELECT * FROM data WHERE false"))
