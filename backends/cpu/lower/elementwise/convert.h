// Conversions as steps of their own.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Defines `result` as the elements of type `dtype` at `from`, converted.
void emit_convert(Planner& planner, PlaceId from, DType dtype, ir::ValueId result);

}  // namespace cpu
}  // namespace systolic::inline v0
