// A tf.Example as it is stored: a protocol buffer, whose features are read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "systolic/base/function_ref.h"

namespace systolic::inline v0 {
namespace io {

// Field numbers of example.proto's Feature; 0 is a Feature without values.
enum class FeatureKind : uint32_t { none = 0, bytes = 1, floats = 2, int64s = 3 };

// One feature of a record: its values still encoded.
struct RawFeature {
  std::string_view name;
  std::string_view list;
  FeatureKind kind = FeatureKind::none;
};

// Calls visit(feature) for each feature of a record, in its order. DataLoss for what is not a
// tf.Example.
void for_each_feature(std::string_view record, FunctionRef<void(const RawFeature&)> visit);

// Decodes the values of a feature, packed or not: int64_t, float, or std::string_view into the
// record. Stores the first `room` of them; returns how many there are.
size_t read_values(const RawFeature& feature, std::string_view record, void* out, size_t room);

}  // namespace io
}  // namespace systolic::inline v0
