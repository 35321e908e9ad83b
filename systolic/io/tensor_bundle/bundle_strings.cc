#include "systolic/io/tensor_bundle/bundle_strings.h"

#include <cstring>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/io/encoding/crc32c.h"

namespace systolic::inline v0 {
namespace io {
namespace {

uint32_t crc_of_length(uint64_t length, uint32_t previous) {
  const auto narrow = static_cast<uint32_t>(length);
  if (length > UINT32_MAX) return crc32c(&length, sizeof(length), previous);
  return crc32c(&narrow, sizeof(narrow), previous);
}

}  // namespace

Literal parse_bundle_strings(std::string_view stored, const Shape& shape, uint32_t masked_crc,
                             std::shared_ptr<const void> owner,
                             const std::function<void(std::string_view)>& fail) {
  const auto count = static_cast<uint64_t>(shape.elements());
  if (count > stored.size()) fail(str(count, " strings in ", stored.size(), " bytes"));
  protobuf::WireReader reader(stored);
  std::vector<uint64_t> lengths(count);
  uint32_t crc = 0, stored_crc = 0;
  for (uint64_t& length : lengths) {
    if (!reader.read_varint(length)) fail("a damaged length of a string");
    crc = crc_of_length(length, crc);
  }
  if (!reader.read_fixed32(stored_crc) || unmask_crc(stored_crc) != crc)
    fail("a wrong checksum of the strings' lengths");
  crc = crc32c(&stored_crc, sizeof(stored_crc), crc);
  std::vector<std::string_view> strings(count);
  for (size_t i = 0; i < count; ++i) {
    if (!reader.take(lengths[i], strings[i])) fail("a string beyond the array's end");
    crc = crc32c(strings[i].data(), strings[i].size(), crc);
  }
  if (!reader.at_end()) fail("bytes after the last string");
  if (unmask_crc(masked_crc) != crc) fail("a wrong checksum");
  return Literal::string_views(strings, shape, std::move(owner));
}

StoredBundleStrings encode_bundle_strings(const Literal& strings) {
  StoredBundleStrings stored;
  uint32_t crc = 0;
  for (int64_t i = 0; i < strings.size(); ++i) {
    protobuf::append_varint(strings.string_at(i).size(), stored.lengths);
    crc = crc_of_length(strings.string_at(i).size(), crc);
  }
  const uint32_t lengths_crc = mask_crc(crc);
  stored.lengths.append(reinterpret_cast<const char*>(&lengths_crc), sizeof(lengths_crc));
  crc = crc32c(&lengths_crc, sizeof(lengths_crc), crc);
  for (int64_t i = 0; i < strings.size(); ++i)
    crc = crc32c(strings.string_at(i).data(), strings.string_at(i).size(), crc);
  stored.masked_crc = mask_crc(crc);
  return stored;
}

}  // namespace io
}  // namespace systolic::inline v0
