// A compiled program as an HLO module: what callers can read about it (field numbers: OpenXLA,
// hlo.proto and xla_data.proto). The computation itself is one opaque call; types, names and the
// shardings of arguments and results are those of the program, and what devices exchange stands
// before the call, one instruction for each exchange.
#pragma once

#include <string>

#include "plugin/program/compile_options.h"
#include "plugin/program/signature.h"

namespace systolic::inline v0 {
namespace plugin {

// A serialized HloModuleProtoWithConfig: PJRT's format "hlo_with_config".
std::string hlo_module(const std::string& name, const Signature& signature, const Layout& layout);

}  // namespace plugin
}  // namespace systolic::inline v0
