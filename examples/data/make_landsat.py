#!/usr/bin/env python3
"""Makes landsat.tacozip and landsat_nested.tacozip with the published toolbox.

    make_landsat.py L7_ETMs.tif olinda_dem_utm25s.tif OUTPUT_FOLDER

Needs tacotoolbox, numpy and GDAL's Python module (osgeo). PROVENANCE.md says where the two rasters come from.
"""
import struct
import sys
import tempfile
import zipfile
import zlib
from datetime import datetime, timezone
from pathlib import Path

import numpy as np
from osgeo import gdal
import tacotoolbox
from tacotoolbox.datamodel import Sample, Taco, Tortilla
from tacotoolbox.sample.extensions.geotiff_stats import GeotiffStats
from tacotoolbox.sample.extensions.split import Split
from tacotoolbox.sample.extensions.stac import STAC
from tacotoolbox.taco.datamodel import Curator, Provider
from tacotoolbox.taco.extensions.labels import LabelClass, Labels
from tacotoolbox.taco.extensions.opticaldata import OpticalData

gdal.UseExceptions()

SIDE = 64          # pixels of a tile
LEFT, TOP = 93, 48  # first pixel of the grid: the coast, the town and the hills
CRS = "EPSG:31985"  # SIRGAS 2000 / UTM 25S
# The acquisition time is not recorded in the source: this is a placeholder, the same for every sample.
NOMINAL_TIME = int(datetime(2000, 1, 1, tzinfo=timezone.utc).timestamp()) * 1_000_000
OPTIONS = ["COMPRESS=DEFLATE", "ZLEVEL=9", "PREDICTOR=2", "INTERLEAVE=BAND", "TILED=YES",
           f"BLOCKXSIZE={SIDE}", f"BLOCKYSIZE={SIDE}"]
SPLITS = ["train", "train", "validation", "test"]  # by column: neighbours in a column stay together


def tile_id(row, column):
    return f"tile_r{row}_c{column}"


def pixels(path):
    raster = gdal.Open(str(path))
    bands = [np.frombuffer(raster.GetRasterBand(i + 1).ReadRaster(buf_type=gdal.GDT_Float32), "f4")
             for i in range(raster.RasterCount)]
    return np.stack(bands).reshape(raster.RasterCount, raster.RasterYSize, raster.RasterXSize)


def classes(optical):
    """0 built-up or bare, 1 vegetation (NDVI above 0.2), 2 water (band 4 below 25)."""
    red, infrared = optical[2], optical[3]
    ndvi = (infrared - red) / np.maximum(infrared + red, 1)
    return np.where(infrared < 25, 2, np.where(ndvi > 0.2, 1, 0)).astype("u1")


def cut_optical(scene, row, column, folder):
    path = folder / f"{tile_id(row, column)}.optical.tif"
    window = [LEFT + column * SIDE, TOP + row * SIDE, SIDE, SIDE]
    gdal.Translate(str(path), scene, srcWin=window, creationOptions=OPTIONS)
    return path


def cut_dem(dem, optical, folder):
    path = folder / optical.name.replace("optical", "dem")
    west, dx, _, north, _, dy = gdal.Open(str(optical)).GetGeoTransform()
    box = [west, north + SIDE * dy, west + SIDE * dx, north]
    gdal.Warp(str(path), dem, outputBounds=box, width=SIDE, height=SIDE, dstSRS=CRS, outputType=gdal.GDT_Int16,
              resampleAlg="bilinear", creationOptions=OPTIONS)
    return path


def write_mask(optical, folder):
    path = folder / optical.name.replace("optical", "mask")
    source = gdal.Open(str(optical))
    target = gdal.GetDriverByName("GTiff").Create(str(path), SIDE, SIDE, 1, gdal.GDT_Byte, OPTIONS)
    target.SetGeoTransform(source.GetGeoTransform())
    target.SetProjection(source.GetProjection())
    target.GetRasterBand(1).WriteRaster(0, 0, SIDE, SIDE, classes(pixels(optical)).tobytes())
    target.FlushCache()
    return path


def stac(path):
    raster = gdal.Open(str(path))
    shape = (raster.RasterCount, raster.RasterYSize, raster.RasterXSize)
    return STAC(crs=CRS, tensor_shape=shape, geotransform=raster.GetGeoTransform(), time_start=NOMINAL_TIME)


def file_sample(name, path, stats, attributes=None):
    sample = Sample(id=name, path=path)
    attributes = attributes or {"mean": float(pixels(path).mean())}
    for extension in (stac(path), stats, attributes):
        sample.extend_with(extension)
    return sample


def optical_attributes(path):
    image = pixels(path)
    share = np.bincount(classes(image).ravel(), minlength=3) / SIDE**2
    return {"mean_nir": float(image[3].mean()), "vegetation": float(share[1]), "water": float(share[2])}


def flat_samples(scene, folder):
    for row in range(4):
        for column in range(4):
            path = cut_optical(scene, row, column, folder)
            sample = file_sample(tile_id(row, column), path, GeotiffStats(), optical_attributes(path))
            sample.extend_with(Split(split=SPLITS[column]))
            yield sample


def nested_samples(scene, dem, folder):
    for row in (1, 2):
        for column in (1, 2, 3):
            optical = cut_optical(scene, row, column, folder)
            elevation = cut_dem(dem, optical, folder)
            mask = write_mask(optical, folder)
            children = [
                file_sample("optical", optical, GeotiffStats()),
                file_sample("dem", elevation, GeotiffStats()),
                file_sample("mask", mask, GeotiffStats(categorical=True, class_values=[0, 1, 2])),
            ]
            sample = Sample(id=tile_id(row, column), path=Tortilla(samples=children))
            sample.extend_with(stac(optical))
            sample.extend_with(optical_attributes(optical))
            sample.extend_with(Split(split=SPLITS[column]))
            yield sample


def set_version(path):
    """Says taco_version 2.0.0, in place; the toolbox says 0.5.0, which is its own version."""
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo("COLLECTION.json")
        old = archive.read(entry)
    new = old.replace(b'"taco_version": "0.5.0"', b'"taco_version": "2.0.0"')
    data = path.read_bytes().replace(old, new)
    was, now = (struct.pack("<I", zlib.crc32(document)) for document in (old, new))
    central = data.rindex(b"COLLECTION.json") - 46
    for at in (entry.header_offset + 14, central + 16):  # the CRC-32 of the local header and of the directory
        assert data[at:at + 4] == was
        data = data[:at] + now + data[at + 4:]
    path.write_bytes(data)


def write(name, title, description, tasks, samples, extensions, folder):
    taco = Taco(
        tortilla=Tortilla(samples=list(samples)), id=name, title=title, description=description, dataset_version="1.0.0",
        licenses=["CC-PDM-1.0"], tasks=tasks, keywords=["landsat", "olinda", "brazil", "example"],
        providers=[Provider(name="U.S. Geological Survey", roles=["producer", "licensor"], url="https://www.usgs.gov")],
        curators=[Curator(name="tacore contributors", role="curator")])
    for extension in extensions:
        taco.extend_with(extension)
    tacotoolbox.create(taco, folder / f"{name}.tacozip")
    set_version(folder / f"{name}.tacozip")


def main(scene, dem, output):
    note = "The acquisition date is not known: 2000-01-01 is a placeholder."
    sensor = OpticalData(sensor="landsat7etm[B01,B02,B03,B04,B05,B07]")
    labels = Labels(label_classes=[LabelClass(name="other", category=0), LabelClass(name="vegetation", category=1),
                                   LabelClass(name="water", category=2)])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write("landsat", "Landsat 7 over Olinda, Brazil",
              f"16 tiles of 64 x 64 pixels, six bands of a Landsat 7 ETM+ scene over Olinda, Brazil. {note}",
              ["other"], flat_samples(scene, folder), [sensor], output)
        write("landsat_nested", "Landsat 7 over Olinda, Brazil, with elevation and a land mask",
              f"6 tiles, each with Landsat 7 bands, elevation and a mask thresholded from the bands. {note}",
              ["semantic-segmentation"], nested_samples(scene, dem, folder), [sensor, labels], output)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
