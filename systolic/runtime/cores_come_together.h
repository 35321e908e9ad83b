// The custom function ir::cores_come_together (ir/core_groups.h).
#pragma once

#include <memory>

#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace runtime {

// Running it is an InvalidArgument, with the collective's name, where some of the cores that
// exchange values come to it and others of their group do not: on a TPU they would wait forever.
std::unique_ptr<const CustomFunction> make_cores_come_together(
    const ir::CustomCallAttributes& call);

}  // namespace runtime
}  // namespace systolic::inline v0
