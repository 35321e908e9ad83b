// Arrays of strings as a tensor bundle stores them: the lengths as varints, a checksum of these,
// the bytes. The entry's checksum is over other bytes than the stored: lengths as 32 (or, where
// they need more, 64) bits, the masked checksum of the lengths, the strings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace io {

// As many strings as the shape has elements, each a view of `stored`, which `owner` keeps. Calls
// `fail` with what is wrong, which must throw.
Literal parse_bundle_strings(std::string_view stored, const Shape& shape, uint32_t masked_crc,
                             std::shared_ptr<const void> owner,
                             const std::function<void(std::string_view)>& fail);

struct StoredBundleStrings {
  std::string lengths;  // with their checksum; the strings follow
  uint32_t masked_crc = 0;
};
StoredBundleStrings encode_bundle_strings(const Literal& strings);

}  // namespace io
}  // namespace systolic::inline v0
