#include "systolic/io/tensor_bundle/bundle_entry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "systolic/base/protobuf/wire.h"

namespace systolic::inline v0 {
namespace io {
namespace {

// Calls read(field, type, reader) for each field; false where one is damaged.
template <class Read>
bool each_bundle_field(std::string_view message, const Read& read) {
  protobuf::WireReader reader(message);
  while (!reader.at_end()) {
    uint32_t field = 0;
    protobuf::WireType type{};
    if (!reader.read_tag(field, type) || !read(field, type, reader)) return false;
  }
  return true;
}

bool read_number(protobuf::WireReader& reader, int64_t& number) {
  uint64_t bits = 0;
  if (!reader.read_varint(bits)) return false;
  number = static_cast<int64_t>(bits);
  return true;
}

// A message whose varint field `wanted` is the number; others are stepped over.
bool read_number_field(std::string_view message, uint32_t wanted, int64_t& number) {
  return each_bundle_field(
      message, [&](uint32_t field, protobuf::WireType type, protobuf::WireReader& reader) {
        if (field != wanted || type != protobuf::WireType::varint) return reader.skip(type);
        return read_number(reader, number);
      });
}

bool read_shape(std::string_view message, BundleEntry& entry) {
  return each_bundle_field(
      message, [&](uint32_t field, protobuf::WireType type, protobuf::WireReader& reader) {
        if (field == 2 && type == protobuf::WireType::bytes) {
          std::string_view dim;
          entry.dims.push_back(0);
          return reader.read_bytes(dim) && read_number_field(dim, 1, entry.dims.back());
        }
        int64_t flag = 0;
        if (field != 3 || type != protobuf::WireType::varint) return reader.skip(type);
        if (!read_number(reader, flag)) return false;
        entry.unknown_rank = flag != 0;
        return true;
      });
}

bool read_extent(std::string_view message, BundleSlice::Extent& extent) {
  return each_bundle_field(
      message, [&](uint32_t field, protobuf::WireType type, protobuf::WireReader& reader) {
        if (type != protobuf::WireType::varint || field > 2) return reader.skip(type);
        return read_number(reader, field == 1 ? extent.start : extent.length.emplace());
      });
}

bool read_slice(std::string_view message, BundleSlice& slice) {
  return each_bundle_field(
      message, [&](uint32_t field, protobuf::WireType type, protobuf::WireReader& reader) {
        if (field != 1 || type != protobuf::WireType::bytes) return reader.skip(type);
        std::string_view extent;
        return reader.read_bytes(extent) && read_extent(extent, slice.extents.emplace_back());
      });
}

bool read_entry_number(uint32_t field, protobuf::WireReader& reader, BundleEntry& entry) {
  if (field == 1) return reader.read_varint(entry.type_number);
  int64_t unknown = 0;
  return read_number(reader, field == 3   ? entry.shard
                             : field == 4 ? entry.offset
                             : field == 5 ? entry.size
                                          : unknown);
}

void append_number(uint32_t field, uint64_t number, std::string& out) {
  if (number == 0) return;  // the default
  protobuf::append_tag(field, protobuf::WireType::varint, out);
  protobuf::append_varint(number, out);
}

void append_message(uint32_t field, std::string_view message, std::string& out) {
  protobuf::append_bytes_header(field, message.size(), out);
  out += message;
}

// Numbers so that their bytes sort as they do: how many bytes, then these, the highest first.
void append_ordered_natural(uint64_t number, std::string& out) {
  const int bytes = (std::bit_width(number) + 7) / 8;
  out += static_cast<char>(bytes);
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i));
}

// The same with a sign: as many one bits in front as there are bytes, inverted for negative ones.
void append_ordered_integer(int64_t number, std::string& out) {
  const bool negative = number < 0;
  const auto magnitude = static_cast<uint64_t>(negative ? ~number : number);
  const int length = 1 + std::bit_width(magnitude) / 7;
  std::array<unsigned char, 10> bytes;
  bytes.fill(negative ? 0xff : 0);
  for (size_t i = 0; i < 8; ++i)
    bytes[bytes.size() - 1 - i] =
        static_cast<unsigned char>(static_cast<uint64_t>(number) >> 8 * i);
  unsigned char* first = bytes.data() + bytes.size() - length;
  const unsigned ones = 0xffffu << (16 - length);  // in the two bytes from the first on
  first[0] ^= static_cast<unsigned char>(ones >> 8);
  if (length > 8) first[1] ^= static_cast<unsigned char>(ones);
  out.append(reinterpret_cast<const char*>(first), static_cast<size_t>(length));
}

void append_ordered_text(std::string_view text, std::string& out) {
  for (const char c : text) {
    out += c;
    if (c == '\0') out += '\xff';
    if (c == '\xff') out += '\0';
  }
  out += '\0';
  out += '\1';
}

constexpr std::array<std::pair<uint64_t, DType>, 20> tensorflow_types = {{
    {1, DType::f32},     {2, DType::f64},       {3, DType::i32},    {4, DType::u8},
    {5, DType::i16},     {6, DType::i8},        {7, DType::string}, {8, DType::c64},
    {9, DType::i64},     {10, DType::pred},     {14, DType::bf16},  {17, DType::u16},
    {18, DType::c128},   {19, DType::f16},      {22, DType::u32},   {23, DType::u64},
    {24, DType::f8e5m2}, {25, DType::f8e4m3fn}, {29, DType::i4},    {30, DType::u4},
}};

}  // namespace

std::optional<BundleHeader> parse_bundle_header(std::string_view message) {
  BundleHeader header;
  const bool whole = each_bundle_field(
      message, [&](uint32_t field, protobuf::WireType type, protobuf::WireReader& reader) {
        int64_t endianness = 0;
        std::string_view version;
        if (field == 1 && type == protobuf::WireType::varint)
          return read_number(reader, header.shards);
        if (field == 2 && type == protobuf::WireType::varint) {
          if (!read_number(reader, endianness)) return false;
          header.big_endian = endianness != 0;
          return true;
        }
        if (field != 3 || type != protobuf::WireType::bytes) return reader.skip(type);
        return reader.read_bytes(version) && read_number_field(version, 2, header.min_consumer);
      });
  if (!whole) return std::nullopt;
  return header;
}

std::optional<BundleEntry> parse_bundle_entry(std::string_view message) {
  BundleEntry entry;
  const bool whole = each_bundle_field(
      message, [&](uint32_t field, protobuf::WireType type, protobuf::WireReader& reader) {
        std::string_view part;
        if (type == protobuf::WireType::varint) return read_entry_number(field, reader, entry);
        if (field == 6 && type == protobuf::WireType::fixed32)
          return reader.read_fixed32(entry.masked_crc);
        if (type != protobuf::WireType::bytes || (field != 2 && field != 7))
          return reader.skip(type);
        if (!reader.read_bytes(part)) return false;
        return field == 2 ? read_shape(part, entry) : read_slice(part, entry.slices.emplace_back());
      });
  if (!whole) return std::nullopt;
  return entry;
}

std::string encode_bundle_header(const BundleHeader& header) {
  std::string version, out;
  append_number(1, 1, version);  // what TensorFlow's own writer says
  append_number(1, static_cast<uint64_t>(header.shards), out);
  append_message(3, version, out);
  return out;
}

std::string encode_bundle_entry(const BundleEntry& entry) {
  std::string shape, out;
  for (const int64_t size : entry.dims) {
    std::string dim;
    append_number(1, static_cast<uint64_t>(size), dim);
    append_message(2, dim, shape);
  }
  append_number(1, entry.type_number, out);
  append_message(2, shape, out);
  append_number(3, static_cast<uint64_t>(entry.shard), out);
  append_number(4, static_cast<uint64_t>(entry.offset), out);
  append_number(5, static_cast<uint64_t>(entry.size), out);
  protobuf::append_tag(6, protobuf::WireType::fixed32, out);
  out.append(reinterpret_cast<const char*>(&entry.masked_crc), sizeof(entry.masked_crc));
  return out;
}

std::string slice_key(std::string_view name, const BundleSlice& slice) {
  std::string key;
  append_ordered_natural(0, key);
  append_ordered_text(name, key);
  append_ordered_natural(slice.extents.size(), key);
  for (const BundleSlice::Extent& extent : slice.extents) {
    append_ordered_integer(extent.start, key);
    append_ordered_integer(extent.length.value_or(-1), key);
  }
  return key;
}

std::optional<DType> dtype_of_tensorflow(uint64_t type_number) {
  const auto* found = std::find_if(tensorflow_types.begin(), tensorflow_types.end(),
                                   [&](const auto& pair) { return pair.first == type_number; });
  if (found == tensorflow_types.end()) return std::nullopt;
  return found->second;
}

std::optional<uint64_t> tensorflow_type_of(DType dtype) {
  const auto* found = std::find_if(tensorflow_types.begin(), tensorflow_types.end(),
                                   [&](const auto& pair) { return pair.second == dtype; });
  if (found == tensorflow_types.end()) return std::nullopt;
  return found->first;
}

}  // namespace io
}  // namespace systolic::inline v0
