// Literals and types as MLIR writes them.
#pragma once

#include <string>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// "tensor<2x3xf32>"
std::string mlir_type(const Type& type);

// "dense<[[1.0, 2.0], [3.0, 4.0]]>". Equal elements print once; more than 32 print as one hex
// string of their bytes; infinities and NaN as hex of their bits. Every element reads back exactly.
std::string mlir_dense(const Literal& literal);

}  // namespace ir
}  // namespace systolic::inline v0
