#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/io/records/tf_example.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using protobuf::append_bytes_header;
using protobuf::append_varint;
using protobuf::varint_size;

// Field numbers of example.proto.
constexpr uint32_t bytes_list = 1, float_list = 2, int64_list = 3;

struct Encoding {
  uint32_t kind;
  size_t list_bytes;    // of the BytesList, FloatList or Int64List message
  size_t packed_bytes;  // of its packed values; strings are not packed
};

size_t field_size(size_t bytes) { return 1 + varint_size(bytes) + bytes; }

Literal checked_integers(const Example::Component& component) {
  if (component.value.dtype() == DType::u64) {
    for (uint64_t number : component.value.data<uint64_t>()) {
      if (number <= INT64_MAX) continue;
      raise<InvalidArgument>(
          {.what = str("feature '", component.name, "': ", number, " does not fit int64")});
    }
  }
  return component.value.convert(DType::i64);
}

Encoding measure(const Literal& stored) {
  if (stored.dtype() == DType::string) {
    size_t bytes = 0;
    for (int64_t i = 0; i < stored.size(); ++i) bytes += field_size(stored.string_at(i).size());
    return {bytes_list, bytes, 0};
  }
  size_t packed = 4 * static_cast<size_t>(stored.size());
  if (stored.dtype() == DType::i64) {
    packed = 0;
    for (int64_t number : stored.data<int64_t>())
      packed += varint_size(static_cast<uint64_t>(number));
  }
  const uint32_t kind = stored.dtype() == DType::i64 ? int64_list : float_list;
  return {kind, packed == 0 ? 0 : field_size(packed), packed};
}

void append_values(const Literal& stored, const Encoding& encoding, std::string& out) {
  if (encoding.kind == bytes_list) {
    for (int64_t i = 0; i < stored.size(); ++i) {
      append_bytes_header(1, stored.string_at(i).size(), out);
      out += stored.string_at(i);
    }
    return;
  }
  if (encoding.packed_bytes == 0) return;
  append_bytes_header(1, encoding.packed_bytes, out);
  if (encoding.kind == float_list) {
    out.append(reinterpret_cast<const char*>(stored.raw()), encoding.packed_bytes);
  } else {
    for (int64_t number : stored.data<int64_t>()) append_varint(static_cast<uint64_t>(number), out);
  }
}

// What is stored for the component: strings, float32 or int64.
Literal stored_form(const Example::Component& component) {
  const DType dtype = component.value.dtype();
  if (dtype == DType::string) return component.value;
  if (is_float(dtype)) return component.value.convert(DType::f32);
  if (is_integer(dtype) || dtype == DType::pred) return checked_integers(component);
  raise<InvalidArgument>({.what = str("feature '", component.name, "' of type ", dtype),
                          .wanted = "strings, floats, integers or pred",
                          .hint = "store complex numbers as two features"});
}

}  // namespace

void encode_example(const Example& example, std::string& bytes) {
  std::vector<Literal> stored;
  std::vector<Encoding> encodings;
  std::vector<size_t> entry_sizes;
  size_t features_size = 0;
  for (const auto& component : example) {
    stored.push_back(stored_form(component));
    encodings.push_back(measure(stored.back()));
    const size_t feature_size = field_size(encodings.back().list_bytes);
    entry_sizes.push_back(field_size(component.name.size()) + field_size(feature_size));
    features_size += field_size(entry_sizes.back());
  }
  bytes.reserve(bytes.size() + field_size(features_size));
  append_bytes_header(1, features_size, bytes);
  size_t i = 0;
  for (const auto& [name, value] : example) {
    append_bytes_header(1, entry_sizes[i], bytes);  // Features.feature, a map entry
    append_bytes_header(1, name.size(), bytes);
    bytes += name;
    append_bytes_header(2, field_size(encodings[i].list_bytes), bytes);  // the Feature
    append_bytes_header(encodings[i].kind, encodings[i].list_bytes, bytes);
    append_values(stored[i], encodings[i], bytes);
    ++i;
  }
}

std::string encode_example(const Example& example) {
  std::string bytes;
  encode_example(example, bytes);
  return bytes;
}

}  // namespace io
}  // namespace systolic::inline v0
