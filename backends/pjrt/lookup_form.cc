#include "backends/pjrt/lookup_form.h"

#include "systolic/passes/exchange/exchange_rows.h"
#include "systolic/passes/lookups_as_products.h"

namespace systolic::inline v0 {
namespace pjrt {

int64_t most_rows_as_product(const TpuGeneration& generation) {
  constexpr double bytes_gathered = 36, operations_multiplied = 2, passes = 6;
  if (generation.memory_bandwidth_per_core <= 0) return 0;
  const double operations_a_byte =
      generation.peak_bf16_flops_per_core / generation.memory_bandwidth_per_core;
  return static_cast<int64_t>(bytes_gathered * operations_a_byte /
                              (operations_multiplied * passes));
}

ir::Module in_lookup_form(const ir::Module& module, const TpuGeneration& generation) {
  const int64_t most_rows = most_rows_as_product(generation);
  if (most_rows == 0) return module;
  return passes::lookups_as_products(passes::exchange_rows(module), most_rows);
}

}  // namespace pjrt
}  // namespace systolic::inline v0
