// What steps cost (torch_xla.debug.metrics, imported as met): how often programs were compiled, how
// long they ran, what went to the device, what an ordinal ran alone.
//
//   xm::master_print(met::metrics_report());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace met {

// Since the program started or clear_all(), over all ordinals. CompileTime, ExecuteTime and
// TransferToDevice as metrics; UncachedCompile and CachedCompile as counters, and xla::RunAlone,
// the programs that one ordinal ran by itself because it read a value in the middle of a step: the
// step is then computed once for each ordinal.
std::string metrics_report();
std::vector<std::string> counter_names();
std::optional<int64_t> counter_value(std::string_view name);
std::vector<std::string> metric_names();
// Samples and total: seconds, or bytes.
std::optional<std::pair<int64_t, double>> metric_data(std::string_view name);
// Counters of what did not run as part of a step.
std::vector<std::string> executed_fallback_ops();
void clear_all();

}  // namespace met
}  // namespace systolic::inline v0
