// PJRT's extension with which callers register foreign functions.
#pragma once

#include "plugin/ffi/ffi_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

// For the plugin's table.
Extension* extension();

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
