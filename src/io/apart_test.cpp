#include "tacore/plumbing/apart.hpp"

#include <doctest/doctest.h>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

std::string refusal(const std::string& output, const std::vector<std::string>& inputs) {
  try {
    require_apart(output, inputs);
  } catch (const ValidationError& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("an output that is, contains or lies inside an input is refused, links resolved") {
  const TemporaryFolder folder;
  folder.write("d/DATA/a", "a");
  folder.write("x.zip", "x");
  folder.write("other/y", "y");
  fs::create_symlink(folder.path("x.zip"), folder.path("link"));
  fs::create_directory_symlink(folder.path("d"), folder.path("to_d"));
  fs::create_hard_link(folder.path("x.zip"), folder.path("hard"));
  const std::string d = folder.path("d"), x = folder.path("x.zip");
  struct Case {
    std::string output, input;
    const char* how;
  };
  for (const auto& [output, input, how] : {
           Case{x, x, "is '"},
           {folder.path("link"), x, "is '"},
           {folder.path("hard"), x, "is '"},
           {x, folder.path("link"), "is '"},
           {folder.path("other/../x.zip"), x, "is '"},
           {d, d, "is '"},
           {d + "/", d, "is '"},
           {folder.path("to_d"), d, "is '"},
           {d + "/DATA/sub", d, "lies inside '"},
           {d + "/new/deep/x", d, "lies inside '"},
           {folder.path("to_d/DATA/sub"), d, "lies inside '"},
           {d + "/new", folder.path("to_d"), "lies inside '"},
           {d, d + "/DATA/a", "contains '"},
           {folder.path(""), x, "contains '"},
           {folder.path("to_d"), d + "/DATA/a", "contains '"},
           {x, "/vsisubfile/0_1," + x, "is '"},
       }) {
    CAPTURE(output);
    CAPTURE(input);
    CHECK(refusal(output, {folder.path("other/y"), input}).starts_with("the output " + std::string(how)));
  }
}

TEST_CASE("an output beside its inputs is allowed") {
  const TemporaryFolder folder;
  folder.write("d/DATA/a", "a");
  folder.write("dd", "b");
  const std::vector<std::string> inputs{folder.path("d"), folder.path("dd"), "s3://bucket/x", "/vsicurl/http://h/x",
                                        folder.path("missing")};
  for (const char* name : {"d2", "dd.zip", "e/f/g", "missing"}) {
    CAPTURE(name);
    CHECK(refusal(folder.path(name), inputs) == "");
  }
}

}  // namespace tacore
