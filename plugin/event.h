// Events. The software TPU has finished when a call returns, so every event has already happened.
#pragma once

#include "plugin/handle.h"

namespace systolic::inline v0 {
namespace plugin {

struct Event {};

inline abi::Event* happened() { return handle<abi::Event>(new Event); }

}  // namespace plugin
}  // namespace systolic::inline v0
