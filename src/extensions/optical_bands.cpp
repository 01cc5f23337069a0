#include "extensions/optical_bands.hpp"

namespace tacore::extensions {

namespace {

// name, common name, description, centre and full width at half maximum in nm
// clang-format off
constexpr BandRow kLandsat1mss[] = {
    {"B04", "Green", "Band 4 - Green - 60m", 553, 98},
    {"B05", "Red", "Band 5 - Red - 60m", 652.5, 95},
    {"B06", "NIR 1", "Band 6 - Near infrared 1 - 60m", 747.5, 105},
    {"B07", "NIR 2", "Band 7 - Near infrared 2 - 60m", 900, 178},
};
constexpr BandRow kLandsat2mss[] = {
    {"B04", "Green", "Band 4 - Green - 60m", 549.5, 101},
    {"B05", "Red", "Band 5 - Red - 60m", 659, 104},
    {"B06", "NIR 1", "Band 6 - Near infrared 1 - 60m", 750.5, 105},
    {"B07", "NIR 2", "Band 7 - Near infrared 2 - 60m", 897, 184},
};
constexpr BandRow kLandsat3mss[] = {
    {"B04", "Green", "Band 4 - Green - 60m", 544, 96},
    {"B05", "Red", "Band 5 - Red - 60m", 653.5, 101},
    {"B06", "NIR1", "Band 6 - Near infrared 1 - 60m", 743, 100},
    {"B07", "NIR 2", "Band 7 - Near infrared 2 - 60m", 896.5, 167},
};
constexpr BandRow kLandsat4mss[] = {
    {"B01", "Green", "Band 1 - Green - 60m", 549.5, 109},
    {"B02", "Red", "Band 2 - Red - 60m", 650.5, 93},
    {"B03", "NIR 1", "Band 3 - Near infrared 1 - 60m", 756.5, 111},
    {"B04", "NIR 2", "Band 4 - Near infrared 2 - 30m", 914, 216},
};
constexpr BandRow kLandsat5mss[] = {
    {"B01", "Green", "Band 1 - Green - 60m", 552.5, 109},
    {"B02", "Red", "Band 2 - Red - 60m", 648.5, 93},
    {"B03", "NIR 1", "Band 3 - Near infrared 1 - 60m", 760, 110},
    {"B04", "NIR 2", "Band 4 - Near infrared 2 - 30m", 925, 230},
};
constexpr BandRow kLandsat4tm[] = {
    {"B01", "Blue", "Band 1 - Blue - 30m", 484.5, 65},
    {"B02", "Green", "Band 2 - Green - 30m", 569, 80},
    {"B03", "Red", "Band 3 - Red - 30m", 659, 68},
    {"B04", "NIR", "Band 4 - Near infrared - 30m", 841, 128},
    {"B05", "SWIR 1", "Band 5 - Shortwave infrared 1 - 30m", 1678, 214},
    {"B06", "TIR", "Band 6 - Thermal infrared - 30m", 11080, 1300},
    {"B07", "SWIR 2", "Band 7 - Shortwave infrared 2 - 30m", 2222.5, 247},
};
constexpr BandRow kLandsat5tm[] = {
    {"B01", "Blue", "Band 1 - Blue - 30m", 485, 64},
    {"B02", "Green", "Band 2 - Green - 30m", 569, 80},
    {"B03", "Red", "Band 3 - Red - 30m", 660, 66},
    {"B04", "NIR", "Band 4 - Near infrared - 30m", 840, 127},
    {"B05", "SWIR 1", "Band 5 - Shortwave infrared 1 - 30m", 1676, 214},
    {"B06", "TIR", "Band 6 - Thermal infrared - 30m", 11435, 1970},
    {"B07", "SWIR 2", "Band 7 - Shortwave infrared 2 - 30m", 2223.5, 249},
};
constexpr BandRow kLandsat7etm[] = {
    {"B01", "Blue", "Band 1 - Blue - 30m", 477.5, 71},
    {"B02", "Green", "Band 2 - Green - 30m", 560, 80},
    {"B03", "Red", "Band 3 - Red - 30m", 661.5, 61},
    {"B04", "NIR", "Band 4 - Near infrared - 30m", 835, 126},
    {"B05", "SWIR 1", "Band 5 - Shortwave infrared 1 - 30m", 1648, 198},
    {"B06", "TIR", "Band 6 - Longwave infrared - 30m", 11345, 2030},
    {"B07", "SWIR 2", "Band 7 - Shortwave infrared 2 - 30m", 2205, 278},
    {"B08", "Pan", "Band 8 - Panchromatic - 15m", 705, 378},
};
constexpr BandRow kLandsat8oli[] = {
    {"B01", "coastal aerosol", "Band 1 - Coastal aerosol - 30m", 442.5, 15},
    {"B02", "blue", "Band 2 - Blue - 30m", 482.5, 59},
    {"B03", "green", "Band 3 - Green - 30m", 561.5, 57},
    {"B04", "red", "Band 4 - Red - 30m", 654.5, 37},
    {"B05", "NIR", "Band 5 - Near infrared - 30m", 864.5, 27},
    {"B06", "SWIR 1", "Band 6 - Shortwave infrared 1 - 30m", 1609, 84},
    {"B07", "SWIR 2", "Band 7 - Shortwave infrared 2 - 30m", 2201, 186},
    {"B08", "Pan", "Band 8 - Panchromatic - 15m", 589.5, 171},
    {"B09", "Cirrus", "Band 9 - Cirrus - 30m", 1373.5, 19},
    {"B10", "TIR 1", "Band 10 - Thermal infrared 1 - 30 m", 10875, 550},
    {"B11", "TIR 2", "Band 11 - Thermal infrared 2 - 30 m", 12025, 950},
};
constexpr BandRow kLandsat9oli[] = {
    {"B01", "coastal aerosol", "Band 1 - Coastal aerosol - 30m", 443, 14},
    {"B02", "blue", "Band 2 - Blue - 30m", 481.5, 59},
    {"B03", "green", "Band 3 - Green - 30m", 561, 56},
    {"B04", "red", "Band 4 - Red - 30m", 654, 36},
    {"B05", "NIR", "Band 5 - Near infrared - 30m", 864.5, 27},
    {"B06", "SWIR 1", "Band 6 - Shortwave infrared 1 - 30m", 1608.5, 85},
    {"B07", "SWIR 2", "Band 7 - Shortwave infrared 2 - 30m", 2200, 188},
    {"B08", "Pan", "Band 8 - Panchromatic - 15m", 589, 172},
    {"B09", "Cirrus", "Band 9 - Cirrus - 30m", 1374, 20},
    {"B10", "TIR 1", "Band 10 - Thermal infrared 1 - 30 m", 10825, 650},
    {"B11", "TIR 2", "Band 11 - Thermal infrared 2 - 30 m", 12025, 850},
};
constexpr BandRow kSentinel2msi[] = {
    {"B01", "coastal aerosol", "Band 1 - Coastal aerosol - 60m", 443.5, 17},
    {"B02", "blue", "Band 2 - Blue - 10m", 496.5, 53},
    {"B03", "green", "Band 3 - Green - 10m", 560, 34},
    {"B04", "red", "Band 4 - Red - 10m", 664.5, 29},
    {"B05", "red edge 1", "Band 5 - Vegetation red edge 1 - 20m", 704.5, 13},
    {"B06", "red edge 2", "Band 6 - Vegetation red edge 2 - 20m", 740.5, 13},
    {"B07", "red edge 3", "Band 7 - Vegetation red edge 3 - 20m", 783, 18},
    {"B08", "NIR", "Band 8 - Near infrared - 10m", 840, 114},
    {"B8A", "red edge 4", "Band 8A - Vegetation red edge 4 - 20m", 864.5, 19},
    {"B09", "water vapor", "Band 9 - Water vapor - 60m", 945, 18},
    {"B10", "cirrus", "Band 10 - Cirrus - 60m", 1375.5, 31},
    {"B11", "SWIR 1", "Band 11 - Shortwave infrared 1 - 20m", 1613.5, 89},
    {"B12", "SWIR 2", "Band 12 - Shortwave infrared 2 - 20m", 2199.5, 173},
};
constexpr BandRow kEo1ali[] = {
    {"B01", "Pan", "Band 1 - Panchromatic - 30m", 588.5, 175},
    {"B02", "MS-1p", "Band 2 - Blue - 30m", 441.5, 19},
    {"B03", "MS-1", "Band 3 - Blue - 30m", 566, 74},
    {"B04", "MS-2", "Band 4 - Green - 30m", 482.5, 61},
    {"B05", "MS-3", "Band 5 - Red - 30m", 660, 58},
    {"B06", "MS-4", "Band 6 - Near infrared - 30m", 790, 30},
    {"B07", "MS-4p", "Band 7 - Shortwave infrared - 30m", 866, 44},
    {"B08", "MS-5", "Band 8 - Shortwave infrared - 30m", 1638, 184},
    {"B09", "MS-5p", "Band 9 - Shortwave infrared - 30m", 1244.5, 89},
    {"B10", "MS-7", "Band 10 - Shortwave infrared - 30m", 2224, 276},
};
constexpr BandRow kAster[] = {
    {"B01", "VNIR", "B01 - Visible and near infrared - 15m", 558, 84},
    {"B02", "VNIR", "B02 - Visible and near infrared - 15m", 659, 60},
    {"B3N", "VNIR", "B3N - Visible and near infrared - 15m", 806, 100},
    {"B3B", "VNIR", "B3B - Visible and near infrared - 15m", 806, 108},
    {"B04", "SWIR", "B04 - Shortwave infrared - 30m", 1655, 90},
    {"B05", "SWIR", "B05 - Shortwave infrared - 30m", 2165, 35},
    {"B06", "SWIR", "B06 - Shortwave infrared - 30m", 2208.5, 37.5},
    {"B07", "SWIR", "B07 - Shortwave infrared - 30m", 2262.5, 45},
    {"B08", "SWIR", "B08 - Shortwave infrared - 30m", 2333.5, 67.5},
    {"B09", "SWIR", "B09 - Shortwave infrared - 30m", 2397.5, 65},
    {"B10", "TIR", "B10 - Thermal infrared - 90m", 8280, 340},
    {"B11", "TIR", "B11 - Thermal infrared - 90m", 8630, 340},
    {"B12", "TIR", "B12 - Thermal infrared - 90m", 9075, 350},
    {"B13", "TIR", "B13 - Thermal infrared - 90m", 10655, 650},
    {"B14", "TIR", "B14 - Thermal infrared - 90m", 11300, 580},
};
constexpr BandRow kModis[] = {
    {"B01", "B01", "B01 - Land/Cloud/Aerosols Boundaries - 250m", 645.69, 45.01},
    {"B02", "B02", "B02 - Land/Cloud/Aerosols Boundaries - 250m", 856.88, 37},
    {"B03", "B03", "B03 - Land/Cloud/Aerosols Properties - 500m", 465.7, 17.979},
    {"B04", "B04", "B04 - Land/Cloud/Aerosols Properties - 500m", 553.19, 18.989},
    {"B05", "B05", "B05 - Land/Cloud/Aerosols Properties - 500m", 1241.5, 22},
    {"B06", "B06", "B06 - Land/Cloud/Aerosols Properties - 500m", 1629, 27.9},
    {"B07", "B07", "B07 - Land/Cloud/Aerosols Properties - 500m", 2113.2, 45},
    {"B08", "B08", "B08 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 411.67, 11},
    {"B09", "B09", "B09 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 442.16, 8.01},
    {"B10", "B10", "B10 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 486.69, 9.98},
    {"B11", "B11", "B11 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 529.669, 11.01},
    {"B12", "B12", "B12 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 546.71, 9.019},
    {"B13", "B13", "B13 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 665.19, 8.02},
    {"B14", "B14", "B14 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 677.219, 10.02},
    {"B15", "B15", "B15 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 746.789, 9},
    {"B16", "B16", "B16 - Ocean Color/ Phytoplankton/Biogeochemistry - 1000m", 866.809, 15.011},
    {"B17", "B17", "B17 - Atmospheric Water Vapor - 1000m", 903.75, 33},
    {"B18", "B18", "B18 - Atmospheric Water Vapor - 1000m", 935.75, 13.01},
    {"B19", "B19", "B19 - Atmospheric Water Vapor - 1000m", 935.34, 44.99},
    {"B20", "B20", "B20 - Surface/Cloud Temperature - 1000m", 3786, 190},
    {"B21", "B21", "B21 - Surface/Cloud Temperature - 1000m", 3991, 80},
    {"B22", "B22", "B22 - Surface/Cloud Temperature - 1000m", 3971, 80},
    {"B23", "B23", "B23 - Atmospheric Temperature - 1000m", 4057.5, 85},
    {"B24", "B24", "B24 - Atmospheric Temperature - 1000m", 4471.5, 85},
    {"B25", "B25", "B25 - Atmospheric Temperature - 1000m", 4546, 90},
    {"B26", "B26", "B26 - Cirrus Clouds Water Vapor - 1000m", 1383.6, 34},
    {"B27", "B27", "B27 - Cirrus Clouds Water Vapor - 1000m", 6758.5, 225},
    {"B28", "B28", "B28 - Cirrus Clouds Water Vapor - 1000m", 7334.5, 316},
    {"B29", "B29", "B29 - Cloud Properties - 1000m", 8526, 300},
    {"B30", "B30", "B30 - Cloud Properties - 1000m", 9752, 270},
    {"B31", "B31", "B31 - Surface/Cloud Temperature - 1000m", 11013, 500},
    {"B32", "B32", "B32 - Surface/Cloud Temperature - 1000m", 12039.5, 475},
    {"B33", "B33", "B33 - Cloud Top Altitude - 1000m", 13362, 299},
    {"B34", "B34", "B34 - Cloud Top Altitude - 1000m", 13682.5, 301},
    {"B35", "B35", "B35 - Cloud Top Altitude - 1000m", 13893, 281},
    {"B36", "B36", "B36 - Cloud Top Altitude - 1000m", 14143.5, 139},
};

constexpr SensorRow kSensors[] = {
    {"landsat1mss", kLandsat1mss},
    {"landsat2mss", kLandsat2mss},
    {"landsat3mss", kLandsat3mss},
    {"landsat4mss", kLandsat4mss},
    {"landsat5mss", kLandsat5mss},
    {"landsat4tm", kLandsat4tm},
    {"landsat5tm", kLandsat5tm},
    {"landsat7etm", kLandsat7etm},
    {"landsat8oli", kLandsat8oli},
    {"landsat9oli", kLandsat9oli},
    {"sentinel2msi", kSentinel2msi},
    {"eo1ali", kEo1ali},
    {"aster", kAster},
    {"modis", kModis},
};
// clang-format on

}  // namespace

std::span<const SensorRow> optical_sensor_table() noexcept { return kSensors; }

}  // namespace tacore::extensions
