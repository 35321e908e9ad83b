// Types of arrays as HLO writes them (xla_data.proto).
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/base/protobuf/message.h"
#include "systolic/pjrt_abi/pjrt_abi.h"

namespace systolic::inline v0 {
namespace plugin {

// An array whose axes lie in this order (axes_order.h).
protobuf::Message hlo_shape(pjrt::abi::ElementType element, const std::vector<int64_t>& sizes,
                            const std::vector<int64_t>& minor_to_major);
// A row-major one.
protobuf::Message hlo_shape(pjrt::abi::ElementType element, const std::vector<int64_t>& sizes);

// The one array, or a tuple of them.
protobuf::Message hlo_shape(const std::vector<protobuf::Message>& arrays);

}  // namespace plugin
}  // namespace systolic::inline v0
