// What tf.image and Pillow make of a small picture, against ours.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "systolic/image/augment/affine.h"
#include "systolic/image/augment/enhance.h"
#include "systolic/image/color.h"
#include "systolic/image/convert.h"
#include "systolic/image/crop.h"
#include "systolic/image/flip.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

using Function = std::function<Literal(const Literal&, double)>;

// As the recipe makes them of the pictures.
Literal stretched(const Literal& image) {
  Literal result = image;
  for (float& value : result.mutable_data<float>()) value = value * 1.5f - 0.25f;
  return result;
}
Literal dimmed(const Literal& image) {
  Literal result = image;
  for (uint8_t& value : result.mutable_data<uint8_t>()) {
    value = static_cast<uint8_t>(value / 2 + 30);
  }
  return result;
}

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table{
      {"adjust_brightness", [](auto& x, double v) { return adjust_brightness(x, v); }},
      {"adjust_contrast", [](auto& x, double v) { return adjust_contrast(x, v); }},
      {"adjust_saturation", [](auto& x, double v) { return adjust_saturation(x, v); }},
      {"adjust_hue", [](auto& x, double v) { return adjust_hue(x, v); }},
      {"rgb_to_grayscale", [](auto& x, double) { return rgb_to_grayscale(x); }},
      {"flip_left_right", [](auto& x, double) { return flip_left_right(x); }},
      {"flip_up_down", [](auto& x, double) { return flip_up_down(x); }},
      {"transpose", [](auto& x, double) { return transpose(x); }},
      {"per_image_standardization", [](auto& x, double) { return per_image_standardization(x); }},
      {"rot90", [](auto& x, double v) { return rot90(x, static_cast<int>(v)); }},
      {"central_crop", [](auto& x, double v) { return central_crop(x, v); }},
      {"to_float", [](auto& x, double) { return to_float(x); }},
      {"to_bytes", [](auto& x, double) { return to_bytes(stretched(x)); }},
      {"enhance_color", [](auto& x, double v) { return enhance_color(x, v); }},
      {"enhance_contrast", [](auto& x, double v) { return enhance_contrast(x, v); }},
      {"enhance_brightness", [](auto& x, double v) { return enhance_brightness(x, v); }},
      {"enhance_sharpness", [](auto& x, double v) { return enhance_sharpness(x, v); }},
      {"autocontrast", [](auto& x, double) { return autocontrast(dimmed(x)); }},
      {"equalize", [](auto& x, double) { return equalize(x); }},
      {"invert", [](auto& x, double) { return invert(x); }},
      {"posterize", [](auto& x, double v) { return posterize(x, static_cast<int>(v)); }},
      {"solarize", [](auto& x, double v) { return solarize(x, static_cast<int>(v)); }},
      {"rotate", [](auto& x, double v) { return rotate(x, v, 9); }}};
  return table;
}

Literal computed(const std::string& name, const nlohmann::json& options, const Literal& image) {
  if (name == "affine") return affine(image, options["matrix"].get<AffineMatrix>(), 9);
  if (name == "resize_with_crop_or_pad") {
    return resize_with_crop_or_pad(image, options["height"], options["width"]);
  }
  return functions().at(name)(image, options.value("value", 0.0));
}

TEST(AugmentingGolden, EveryFunction) {
  const auto golden = read_golden("augmenting.json");
  std::map<std::string, Literal> inputs;
  for (const auto& [name, values] : golden[0]["inputs"].items()) {
    inputs.emplace(name, golden_literal(values));
  }
  for (size_t i = 1; i < golden.size(); ++i) {
    const auto& entry = golden[i];
    const std::string name = entry["name"];
    SCOPED_TRACE(name + " " + entry["options"].dump() + " " + entry["input"].dump());
    const Literal expected = golden_literal(entry["output"]);
    const Literal& input = inputs.at(name == "equalize" ? "large" : entry["input"]);
    // Bytes are equal. Among floats a turned hue takes the most roundings: three of numbers up to 1
    // by 2^-24, which count six times because the hue is in sixths, and three of chroma and value;
    // TensorFlow takes as many others. Standardized ones, below 4, are rounded twice by 2^-23.
    EXPECT_LE(largest_difference(computed(name, entry["options"], input), expected),
              expected.dtype() == DType::u8 ? 0 : 2 * (6 * 3 + 3) * 0x1p-24);
  }
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
