#include "examples/mnist/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "systolic/base/process/process.h"
#include "systolic/io/files/file.h"

namespace examples {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

void write_report(const std::string& path, const Report& report) {
  const double step_ms = median(report.history.step_milliseconds);
  const nlohmann::json json{
      {"data", report.data},
      {"cores", report.cores},
      {"test_accuracy", report.test_accuracy},
      {"test_samples", report.test_samples},
      {"reloaded_test_accuracy", report.reloaded_test_accuracy},
      {"history", report.history.history},
      {"losses", report.history.step_losses},
      {"ms_per_step", step_ms},
      {"compile_ms", report.history.compile_milliseconds},
      {"first_step_ms", report.first_step_ms},
      {"peak_memory_bytes", systolic::peak_memory_bytes()},
      {"samples_per_second", step_ms > 0 ? 1e3 * static_cast<double>(report.batch) / step_ms : 0},
      {"input_wait_seconds", report.history.input_wait_seconds},
      {"input_wait_share", report.history.input_wait_share}};
  systolic::io::write_file(path, json.dump(2) + "\n");
}

}  // namespace examples
