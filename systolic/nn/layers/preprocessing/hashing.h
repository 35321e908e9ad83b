// Strings or integers to bins by their hash (keras.layers.Hashing): no vocabulary, and some share a
// bin. It runs on the host, in a pipeline.
//
//   Hashing{.num_bins = 3}(Literal::strings({"A", "B", "C", "D", "E"}))     // i64 [1, 0, 1, 1, 2]
//   Hashing{.num_bins = 3, .salt = {133, 137}}                              // SipHash
//
// The bins are TensorFlow's: FarmHash, or SipHash with `salt`. With `mask_value` bin 0 is for it
// alone. Integers are hashed as their decimal digits, floats as the integer they are cut to.
// output_mode "one_hot", "multi_hot" and "count": f32 [..., num_bins], as StringLookup's.
#pragma once

#include "systolic/nn/config/required.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/categories.h"
#include "systolic/nn/layers/preprocessing/lookup_fields.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// A string or an integer that stands for no value.
class MaskValue {
 public:
  MaskValue() = default;
  MaskValue(int64_t number) : number_(number) {}                      // NOLINT
  MaskValue(int number) : MaskValue(static_cast<int64_t>(number)) {}  // NOLINT
  MaskValue(std::string text) : text_(std::move(text)) {}             // NOLINT
  MaskValue(const char* text) : MaskValue(std::string(text)) {}       // NOLINT

  bool given() const { return text_ || number_; }
  const std::optional<std::string>& text() const { return text_; }
  const std::optional<int64_t>& number() const { return number_; }
  friend bool operator==(const MaskValue&, const MaskValue&) = default;

 private:
  std::optional<std::string> text_;
  std::optional<int64_t> number_;
};
Config to_config(const MaskValue& value);
void from_config(const Config& config, MaskValue& value);

struct Hashing {
  static constexpr const char* kind = "Hashing";
  static constexpr LayerTraits traits = {};
  static constexpr bool runs_on_host = true;
  Required<int64_t> num_bins;
  MaskValue mask_value = {};
  HashSalt salt = {};
  CategoryOutput output_mode = "int";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Literal operator()(const Literal& x, SourceLocation at = SourceLocation::current()) const;
  // Unimplemented: digits and strings are hashed on the host.
  Tensor call(const Tensor& x, CallContext& context) const;

  static KerasForm keras_form();
  template <class Self = Hashing>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("num_bins", &Self::num_bins), field("mask_value", &Self::mask_value),
                   field("salt", &Self::salt), field("output_mode", &Self::output_mode)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(Hashing);

}  // namespace systolic::inline v0
