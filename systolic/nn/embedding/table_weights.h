// The tables of a layer as its weights. Internal to nn.
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/call_context.h"
#include "systolic/nn/embedding/config.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

// The value of each table, made at the first call: by rows over the cores, and with its own
// optimizer, or `other` where it names none.
std::vector<Tensor> table_values(const Tables& tables,
                                 const std::optional<EmbeddingOptimizer>& other,
                                 CallContext& context, SourceLocation location);

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
