// What the index of a TensorFlow checkpoint says of each tensor: BundleHeaderProto and
// BundleEntryProto of tensorflow/core/protobuf/tensor_bundle.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace io {

struct BundleHeader {
  int64_t shards = 0;
  bool big_endian = false;
  int64_t min_consumer = 0;  // the oldest reader that may read it
};

// A part of a tensor that was saved in parts.
struct BundleSlice {
  struct Extent {
    int64_t start = 0;
    std::optional<int64_t> length;  // nothing: the whole axis
  };
  std::vector<Extent> extents;  // one an axis
};

struct BundleEntry {
  uint64_t type_number = 0;  // of TensorFlow's DataType
  std::vector<int64_t> dims = {};
  bool unknown_rank = false;
  int64_t shard = 0, offset = 0, size = 0;  // the file, and bytes in it
  uint32_t masked_crc = 0;
  std::vector<BundleSlice> slices = {};  // not empty: the tensor lies under the keys of its parts
};

// Nothing where the bytes are no such message.
std::optional<BundleHeader> parse_bundle_header(std::string_view message);
std::optional<BundleEntry> parse_bundle_entry(std::string_view message);
std::string encode_bundle_header(const BundleHeader& header);
std::string encode_bundle_entry(const BundleEntry& entry);

// The key of a part: TensorFlow's ordered code of name and slice. It starts with a zero byte, as no
// tensor's name does.
std::string slice_key(std::string_view name, const BundleSlice& slice);

// TensorFlow's numbers of the types; nothing where there is none, or no such type here.
std::optional<DType> dtype_of_tensorflow(uint64_t type_number);
std::optional<uint64_t> tensorflow_type_of(DType dtype);

}  // namespace io
}  // namespace systolic::inline v0
