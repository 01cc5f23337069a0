#pragma once

#include <cstdint>

namespace tacore {

/// Tags of TIFF 6.0, GeoTIFF and GDAL.
enum class TiffTag : uint16_t {
  Width = 256,
  Height = 257,
  BitsPerSample = 258,
  Compression = 259,
  Photometric = 262,
  FillOrder = 266,
  StripOffsets = 273,
  SamplesPerPixel = 277,
  RowsPerStrip = 278,
  StripByteCounts = 279,
  PlanarConfiguration = 284,
  DateTime = 306,
  Predictor = 317,
  ColorMap = 320,
  TileWidth = 322,
  TileHeight = 323,
  TileOffsets = 324,
  TileByteCounts = 325,
  ExtraSamples = 338,
  SampleFormat = 339,
  ModelPixelScale = 33550,
  ModelTiepoint = 33922,
  ModelTransformation = 34264,
  GeoKeyDirectory = 34735,
  GeoDoubleParams = 34736,
  GeoAsciiParams = 34737,
  GdalMetadata = 42112,
  GdalNodata = 42113,
};

}  // namespace tacore
