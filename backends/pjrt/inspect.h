// What opens on this machine (systolic/runtime/plugins.h).
#pragma once

#include "systolic/runtime/plugins.h"

namespace systolic::inline v0 {
namespace pjrt {

std::vector<runtime::PluginReport> inspect_plugins(double deadline_seconds);
std::vector<runtime::TpuHolder> tpu_holders();

}  // namespace pjrt
}  // namespace systolic::inline v0
