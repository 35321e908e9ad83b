// Running code on symbolic values only to learn types: shape inference of layers, and their
// building.
#pragma once

#include <functional>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The types of what `body` returns for arguments of `types`. Nothing is computed and the ops are
// dropped; Variables that `body` makes are kept.
std::vector<ir::Type> infer_result_types(
    const std::vector<ir::Type>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body);

}  // namespace systolic::inline v0
