// The table of a network's layers, as keras.Model.summary prints it.
#pragma once

#include <string>

#include "systolic/nn/network/network.h"
#include "systolic/train/options/summary_options.h"

namespace systolic::inline v0 {

struct SummaryCounts {
  int64_t optimizer_parameters = 0;
  int64_t optimizer_bytes = 0;
};

// With a width. A layer_range that no layer matches is an InvalidArgument.
std::string summary_table(const Network& network, const SummaryCounts& counts,
                          const SummaryOptions& options, SourceLocation location);

}  // namespace systolic::inline v0
