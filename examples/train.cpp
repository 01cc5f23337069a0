/*
  Trains a model that classifies vegetation from two bands of an image, on a dataset whose samples have the FILEs
  `optical` and `mask`, and prints its accuracy.

    train PATH

  DEMONSTRATES:
  * the loader: two inputs of each sample, bands, scaling, batches in a different order in each epoch
  * stopping within an epoch and resuming from one integer

  SIMPLER EXAMPLES: navigate, read_one_sample
*/
#include <cmath>
#include <cstdio>

#include <tacore/raster/loader.hpp>

namespace {

using namespace tacore;

/// Logistic regression: the probability that a pixel is vegetation, from its red and near-infrared values.
struct Model {
  double red = 0, infrared = 0, bias = 0;

  double operator()(float r, float n) const { return 1 / (1 + std::exp(-(red * r + infrared * n + bias))); }
};

/// Updates the model by each pixel of a batch. Returns the number of pixels that were classified correctly before.
int64_t learn(Model& model, const Batch& batch) {
  const auto image = batch.tensors[0].values<float>();   // (samples, 2 bands, 64, 64)
  const auto mask = batch.tensors[1].values<uint8_t>();  // (samples, 1 band, 64, 64)
  constexpr std::size_t kPixels = 64 * 64;
  int64_t num_right = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const float red = image[i + i / kPixels * kPixels], infrared = image[i + i / kPixels * kPixels + kPixels];
    const double target = mask[i] == 1, error = model(red, infrared) - target;
    num_right += std::abs(error) < 0.5;
    model.red -= 0.01 * error * red;
    model.infrared -= 0.01 * error * infrared;
    model.bias -= 0.01 * error;
  }
  return num_right;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return std::fputs("usage: train PATH\n", stderr), 2;
  const DataFrame rows = load(argv[1]).data();
  const TensorOptions image{.bands = {3, 4}, .scale = {{.factor = 1 / 40.0, .offset = -1.5}}};
  LoaderOptions options{.inputs = {{"optical", image}, {"mask"}}, .batch_size = 2, .seed = 7};
  Model model;
  Batch batch;
  for (options.epoch = 0; options.epoch < 3; ++options.epoch) {
    int64_t num_right = 0, num_pixels = 0;
    for (Loader loader(rows, options); loader.next(batch);) {
      num_right += learn(model, batch);
      num_pixels += batch.tensors[1].num_values();
    }
    std::printf("epoch %d: %.1f %% of %d pixels\n", static_cast<int>(options.epoch),
                100.0 * static_cast<double>(num_right) / static_cast<double>(num_pixels), static_cast<int>(num_pixels));
  }
  // Training that stops after two batches resumes after them, here with larger batches.
  Loader stopped(rows, options);
  for (int i = 0; i < 2; ++i) stopped.next(batch);
  options.start = batch.next_start;
  options.batch_size = 10;
  Loader resumed(rows, options);
  while (resumed.next(batch))
    std::printf("after %d: %zu samples\n", static_cast<int>(options.start), batch.positions.size());
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
