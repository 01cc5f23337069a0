#include "model/spdx.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tacore;

TEST_CASE("licence identifiers are found in any letter case, deprecated ones included") {
  for (const std::string id : {"CC-BY-4.0", "cc-by-4.0", "MIT", "mit", "0BSD", "ZPL-2.1", "zlib", "Apache-2.0",
                               "GPL-2.0", "GPL-2.0+", "CC0-1.0", "ODbL-1.0", "eCos-2.0"}) {
    CAPTURE(id);
    CHECK(is_spdx_licence(id));
  }
}

TEST_CASE("text that is not a licence identifier is not found") {
  for (const std::string id : {"", " ", "CC-BY", "CC-BY-4.0 ", "CC BY 4.0", "proprietary", "MIT OR ISC",
                               "LicenseRef-mine", "MIT\n", "zzz", "GPL", "CC-BY-5.0", "\xff"}) {
    CAPTURE(id);
    CHECK_FALSE(is_spdx_licence(id));
  }
}

TEST_CASE("a licence identifier is returned in the spelling of the SPDX list") {
  CHECK(spdx_spelling("cc-by-4.0") == "CC-BY-4.0");
  CHECK(spdx_spelling("ODBL-1.0") == "ODbL-1.0");
  CHECK(spdx_spelling("CC-BY") == "");
}
