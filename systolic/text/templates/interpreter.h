// Writes what a template says of some values. Internal to text.
//
// A template is not trusted: it can read what it is given and nothing else. InvalidArgument ends
// one that takes more than eight million steps (work.h), writes more than 16 MiB, or calls macros
// 32 deep.
#pragma once

#include <string>

#include "systolic/text/templates/nodes.h"

namespace systolic::inline v0 {
namespace text {

// `values`: the names that it knows. What raise_exception(...) says is an InvalidArgument.
std::string run_template(const Statements& statements, const ValueMap& values);

}  // namespace text
}  // namespace systolic::inline v0
