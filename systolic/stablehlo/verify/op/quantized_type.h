// The constraints of quantized types (docs/spec.md, "Types").
#pragma once

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Raises at `offset` of the program.
void verify_quantized_type(const Program& program, TypeId type, size_t offset);

}  // namespace stablehlo
}  // namespace systolic::inline v0
