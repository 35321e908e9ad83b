// The JSON file that --json writes.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/train/options/history.h"

namespace examples {

struct Report {
  std::string data;
  int64_t cores = 1;
  systolic::History history;
  double test_accuracy = 0;
  int64_t test_samples = 0;
  double reloaded_test_accuracy = 0;
  double first_step_ms = 0;
  int64_t batch = 0;
};

void write_report(const std::string& path, const Report& report);

}  // namespace examples
