// A function's structure as bytes: two functions with equal keys are the same program up to names,
// source locations and value numbering. It is the key in the cache of compiled steps.
#pragma once

#include <string>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Values are numbered in order of definition; constants are included with their data.
std::string structure_key(const Module& module);

// What structure_key leaves out and an executable reports: the module's name, names and roles of
// parameters, lines and layers of ops. Valid only within this process.
std::string label_key(const Module& module);

}  // namespace ir
}  // namespace systolic::inline v0
