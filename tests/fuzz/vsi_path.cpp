#include "io/vsi_path.hpp"

#include "fuzz.hpp"

/// The input is a path.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string_view path = text_of(bytes);
  expect_errors_only([&] {
    const VsiSubfile subfile = parse_vsi_subfile(path);
    const auto again = parse_vsi_subfile(vsi_subfile(subfile.range, subfile.root));
    require(again.root == subfile.root && again.range == subfile.range, "what is written reads the same");
  });
  expect_errors_only([&] {
    const std::string vsi = to_vsi(path);
    require(to_vsi(vsi) == vsi, "a path of GDAL stays as it is");
    from_vsi(vsi);
  });
  const std::string name = file_name(path);
  require(name.find('/') == name.npos, "a file name has no slash");
  path_join(parent_folder(path), name);
  is_remote(path);
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
