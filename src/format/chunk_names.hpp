#pragma once

namespace tacore::v1 {

/// Names of the columns of a chunk table beside `tortilla:*` (streaming TACO 0.2.0).
namespace chunk {
inline constexpr const char* kBandOffsets = "chunk:band_offsets";
inline constexpr const char* kBandLengths = "chunk:band_lengths";
inline constexpr const char* kLevel = "chunk:level";
inline constexpr const char* kRow = "chunk:row";
inline constexpr const char* kCol = "chunk:col";
inline constexpr const char* kShape = "chunk:shape";
inline constexpr const char* kValid = "chunk:valid";
inline constexpr const char* kDtype = "chunk:dtype";
inline constexpr const char* kCompression = "chunk:compression";
inline constexpr const char* kPredictor = "chunk:predictor";
inline constexpr const char* kInterleave = "chunk:interleave";
inline constexpr const char* kNodata = "chunk:nodata";
/// An addition of tacore: lengths of the axes that were flattened into bands; absent when no raster has any.
inline constexpr const char* kAxes = "chunk:axes";
}  // namespace chunk

/// Names of the columns of a table of histograms.
namespace hist {
inline constexpr const char* kBins = "hist:bins";
inline constexpr const char* kMin = "hist:min";
inline constexpr const char* kMax = "hist:max";
inline constexpr const char* kSamples = "hist:samples";
}  // namespace hist

}  // namespace tacore::v1
