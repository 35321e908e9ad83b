// Attributes by themselves, wherever they stand: the words of enumerations, the fields of
// structures, the layouts of convolutions.
#pragma once

#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// InvalidArgument with its place for the first that is wrong.
void verify_attributes(const Program& program, const std::vector<NamedAttribute>& attributes);

}  // namespace stablehlo
}  // namespace systolic::inline v0
