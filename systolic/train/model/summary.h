// The table of a network's layers, as keras.Model.summary prints it.
#pragma once

#include <string>

#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {

struct SummaryCounts {
  int64_t optimizer_parameters = 0;
  int64_t optimizer_bytes = 0;
};

std::string summary_table(const Network& network, const SummaryCounts& counts, int width);

}  // namespace systolic::inline v0
