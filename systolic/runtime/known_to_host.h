// Copies to a device whose bounds the host remembers (integer_bounds.h).
#pragma once

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace runtime {

inline BufferPtr known_to_host(Client& client, const Literal& values,
                               const Placement& placement = {}) {
  BufferPtr buffer = client.from_host(values, placement);
  buffer->set_bounds(integer_bounds(values));
  return buffer;
}

}  // namespace runtime
}  // namespace systolic::inline v0
