#include "systolic/nn/embedding/table_weights.h"

#include <memory>

#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

std::vector<Tensor> table_values(const Tables& tables,
                                 const std::optional<EmbeddingOptimizer>& other,
                                 CallContext& context, SourceLocation location) {
  std::vector<Tensor> values;
  for (const TableConfig& table : tables.tables) {
    const Variable variable =
        context.add_weight(table.name, {table_rows(table.vocabulary_size), table.dim},
                           {.initializer = table.initializer});
    VariableState& state = *variable.state();
    state.rows_over_cores = true;
    const auto& rule = table.optimizer ? table.optimizer : other;
    if (rule && !state.own_optimizer)
      state.own_optimizer = std::make_shared<const Optimizer>(table_optimizer(*rule, location));
    values.push_back(variable.value(location));
  }
  return values;
}

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
