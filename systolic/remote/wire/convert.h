// Our types as messages, and back. What a peer sends is checked.
#pragma once

#include <cstddef>
#include <string>

#include "remote.pb.h"
#include "systolic/base/error.h"
#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {
namespace remote {

namespace wire = ::systolic_remote;

inline constexpr size_t piece_bytes = size_t{1} << 20;  // of arrays and programs on their way
inline constexpr int most_message_bytes = (1 << 20) + (1 << 16);

void set_type(wire::Type& message, const ir::Type& type);
// InvalidArgument for a type that no array has.
ir::Type type_of(const wire::Type& message);

void set_placement(wire::Placement& message, const runtime::Placement& placement);
runtime::Placement placement_of(const wire::Placement& message);

void set_fault(wire::Fault& message, const Error& error);
// Throws the error, as one of the same kind.
[[noreturn]] void raise_fault(const wire::Fault& fault);

}  // namespace remote
}  // namespace systolic::inline v0
