// Attributes by themselves, wherever they stand: the words of enumerations, the fields of
// structures, the layouts of convolutions.
#pragma once

#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// InvalidArgument with its place for the first that is wrong. The dimension_numbers of a
// convolution are left to the op, whose labels they have.
void verify_attributes(const Program& program, const std::vector<NamedAttribute>& attributes);

}  // namespace stablehlo
}  // namespace systolic::inline v0
