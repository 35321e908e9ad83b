// Options of fit, evaluate and predict that go with arrays only. Internal to train.
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/text.h"
#include "systolic/train/options/fit_options.h"

namespace systolic::inline v0 {

[[noreturn]] void raise_arrays_only(std::string_view what, std::string_view field, std::string hint,
                                    SourceLocation location);

// `what`, such as "fit", was given a Dataset: batches and weights are part of it.
template <class Options>
void check_no_array_options(std::string_view what, const Options& options,
                            SourceLocation location) {
  if (options.batch_size) {
    raise_arrays_only(what, "batch_size", str("dataset.batch(", *options.batch_size, ")"),
                      location);
  }
  if constexpr (requires { options.sample_weight; }) {
    if (options.sample_weight.empty()) return;
    raise_arrays_only(what, "sample_weight",
                      "give the dataset's elements a component \"sample_weight\"", location);
  }
}

}  // namespace systolic::inline v0
