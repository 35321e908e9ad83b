// What tf.image.resize and Pillow's Image.resize give, against ours.
#include <gtest/gtest.h>

#include <map>

#include "systolic/image/resize/resize.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

ResizeOptions options_of(const nlohmann::json& entry) {
  static const std::map<std::string, Resize> methods{
      {"bilinear", Resize::bilinear}, {"bicubic", Resize::bicubic},
      {"nearest", Resize::nearest},   {"area", Resize::area},
      {"box", Resize::area},          {"lanczos3", Resize::lanczos3},
      {"lanczos5", Resize::lanczos5}, {"gaussian", Resize::gaussian},
      {"hamming", Resize::hamming},   {"mitchellcubic", Resize::mitchell_cubic}};
  static const std::map<std::string, Convention> conventions{
      {"tensorflow", Convention::tensorflow},
      {"tensorflow_1", Convention::tensorflow_1},
      {"tensorflow_1_align_corners", Convention::tensorflow_1_align_corners},
      {"pillow", Convention::pillow}};
  return {.method = methods.at(entry["method"]),
          .antialias = entry["antialias"],
          .convention = conventions.at(entry["convention"])};
}

std::string name_of(const nlohmann::json& entry) {
  return entry["convention"].get<std::string>() + " " + entry["method"].get<std::string>() +
         (entry["antialias"].get<bool>() ? " antialias " : " ") +
         entry["input"].get<std::string>() + " " + entry["output"]["shape"].dump();
}

// Bytes by Pillow and nearest are exact. Floats: sums of at most 11 × 11 terms below 1.5 of the
// range, each product and sum rounded twice: 2^-24 * 255 * 1.5 * 24 = 5.5e-4, of 1: 2.2e-6.
double tolerance_of(const Literal& output, const Literal& input) {
  if (output.dtype() == DType::u8) return 0;
  return input.dtype() == DType::u8 ? 5.5e-4 : 2.2e-6;
}

TEST(ResizingGolden, EveryMethodOfEveryConvention) {
  const auto golden = read_golden("resizing.json");
  std::map<std::string, Literal> inputs;
  for (const auto& [name, values] : golden[0]["inputs"].items()) {
    inputs.emplace(name, golden_literal(values));
  }
  for (size_t i = 1; i < golden.size(); ++i) {
    const auto& entry = golden[i];
    SCOPED_TRACE(name_of(entry));
    const Literal expected = golden_literal(entry["output"]);
    const Literal& input = inputs.at(entry["input"]);
    const Literal got = resize(input, expected.shape()[0], expected.shape()[1], options_of(entry));
    EXPECT_LE(largest_difference(got, expected), tolerance_of(expected, input));
  }
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
