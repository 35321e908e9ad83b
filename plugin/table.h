// The plugin's table of functions, as PJRT's callers read it.
#pragma once

#include "plugin/handle.h"

namespace systolic::inline v0 {
namespace plugin {

// An abi::Table of abi::slot_count functions; those that are not offered report Unimplemented.
const abi::Table* table();

}  // namespace plugin
}  // namespace systolic::inline v0
