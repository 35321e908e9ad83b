// What a program's ops are, as HLO text says it of a program that it shows as one call.
#pragma once

#include <string>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace plugin {

// "2 add, 1 dot_general": the ops of all functions and regions by their kinds, in the order of the
// names.
std::string op_kinds(const ir::Module& module);

}  // namespace plugin
}  // namespace systolic::inline v0
