// A module as bytes, exactly: what StableHLO text has no place for as well (roles, layers, lines,
// which products are of gradients). For one version of the library: files are StableHLO.
#pragma once

#include <string>
#include <string_view>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

std::string image_of(const Module& module);

// The module, verified (infer/verify.h). DataLoss for bytes that are no image, or one of another
// version; InvalidArgument for a module that breaks a rule. Memory is bounded by a small multiple
// of the bytes.
Module module_of(std::string_view image);

}  // namespace ir
}  // namespace systolic::inline v0
