// Opens the dataset named on the command line. Without one: an error must cross the library boundary.
#include <tacore/dataset.hpp>
#include <tacore/error.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc > 1) {
    const tacore::Dataset dataset = tacore::load(argv[1]);
    std::puts("opened");
    return 0;
  }
  try {
    tacore::load("no such dataset.tacozip");
  } catch (const tacore::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
