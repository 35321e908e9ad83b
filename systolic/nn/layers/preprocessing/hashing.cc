#include "systolic/nn/layers/preprocessing/hashing.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/preprocessing/encode.h"
#include "systolic/preprocessing/fingerprint.h"

namespace systolic::inline v0 {
namespace {

int64_t bin_of(const Hashing& layer, std::string_view bytes, int64_t bins) {
  const auto& key = layer.salt.key();
  const uint64_t hash =
      key ? siphash(static_cast<uint64_t>(key->first), static_cast<uint64_t>(key->second), bytes)
          : fingerprint64(bytes);
  return static_cast<int64_t>(hash % static_cast<uint64_t>(bins));
}

// Calls f(bytes, is_masked) for each element.
template <class F>
void for_each_hashed(const Hashing& layer, const Literal& x, F&& f) {
  const MaskValue& mask = layer.mask_value;
  const Literal numbers = is_float(x.dtype()) ? x.convert(DType::i64) : x;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.dtype() == DType::string) {
      f(x.string_at(i), mask.text() == x.string_at(i));
    } else {
      // A float is compared as it came.
      const bool is_masked =
          mask.number() &&
          (is_float(x.dtype()) ? x.number_at(i) == static_cast<double>(*mask.number())
                               : numbers.integer_at(i) == *mask.number());
      f(str(numbers.integer_at(i)), is_masked);
    }
  }
}

}  // namespace

Config to_config(const MaskValue& value) {
  return value.text() ? Config(*value.text()) : to_config(value.number());
}

void from_config(const Config& config, MaskValue& value) {
  value = {};
  if (config.is_text()) value = MaskValue(config.text_value());
  if (!config.is_text() && !config.is_null()) value = MaskValue(config.integer());
}

Literal Hashing::operator()(const Literal& x, SourceLocation at) const {
  const ErrorScope scope(kind, at);
  check_positive("num_bins", num_bins);
  if (mask_value.given() && (x.dtype() == DType::string) != mask_value.text().has_value()) {
    raise<InvalidArgument>(
        {.what = str("mask_value is ", mask_value.text() ? "a string" : "a number",
                     " for an input of ", to_string(x.dtype())),
         .wanted = "one of the input's type"});
  }
  const bool masks = mask_value.given() && num_bins > 1;
  const int64_t bins = masks ? num_bins - 1 : num_bins.get();
  Literal places(DType::i64, x.shape());
  auto to = places.mutable_data<int64_t>().begin();
  for_each_hashed(*this, x, [&](std::string_view bytes, bool is_masked) {
    const int64_t bin = bin_of(*this, bytes, bins);
    *to++ = !masks ? bin : is_masked ? 0 : bin + 1;
  });
  return encode_places(places, output_mode.name(), num_bins);
}

Tensor Hashing::call(const Tensor&, CallContext&) const { raise_runs_on_host(kind, location); }

KerasForm Hashing::keras_form() { return {.silent = {{"sparse", "false"}}}; }

SYSTOLIC_DEFINE_LAYER(Hashing)

}  // namespace systolic::inline v0
