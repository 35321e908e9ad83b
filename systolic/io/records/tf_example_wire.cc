#include "systolic/io/records/tf_example_wire.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"

namespace systolic::inline v0 {
namespace io {

namespace {

using protobuf::WireReader;
using protobuf::WireType;

[[noreturn]] void raise_malformed(std::string_view what, std::string_view record, const char* at) {
  raise<DataLoss>({.what = str("not a tf.Example: ", what, " at byte ", at - record.data(), " of ",
                               record.size()),
                   .hint = "check that the file holds tf.Examples, and not other records"});
}

// Calls visit(number, type, reader) for each field of a message; the visitor reads or skips the
// value.
template <class Visit>
void for_each_field(std::string_view message, std::string_view record, std::string_view what,
                    Visit visit) {
  WireReader reader(message);
  while (!reader.at_end()) {
    const char* at = reader.position();
    uint32_t field = 0;
    WireType type{};
    if (!reader.read_tag(field, type) || !visit(field, type, reader))
      raise_malformed(what, record, at);
  }
}

void read_feature(std::string_view message, std::string_view record, RawFeature& feature) {
  for_each_field(message, record, "a damaged Feature",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field < 1 || field > 3 || type != WireType::bytes) return reader.skip(type);
                   feature.kind = static_cast<FeatureKind>(field);
                   return reader.read_bytes(feature.list);
                 });
}

RawFeature read_entry(std::string_view message, std::string_view record) {
  RawFeature feature;
  for_each_field(message, record, "a damaged map entry",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (type != WireType::bytes || field > 2) return reader.skip(type);
                   if (field == 1) return reader.read_bytes(feature.name);
                   std::string_view value;
                   if (!reader.read_bytes(value)) return false;
                   read_feature(value, record, feature);
                   return true;
                 });
  return feature;
}

size_t read_int64s(std::string_view list, std::string_view record, int64_t* out, size_t room) {
  size_t count = 0;
  auto add = [&](WireReader& reader) {
    uint64_t value = 0;
    if (!reader.read_varint(value)) return false;
    if (count < room) out[count] = static_cast<int64_t>(value);
    ++count;
    return true;
  };
  for_each_field(list, record, "a damaged Int64List",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1) return reader.skip(type);
                   if (type == WireType::varint) return add(reader);
                   std::string_view packed;
                   if (type != WireType::bytes || !reader.read_bytes(packed)) return false;
                   WireReader values(packed);
                   while (!values.at_end()) {
                     if (!add(values)) return false;
                   }
                   return true;
                 });
  return count;
}

size_t read_floats(std::string_view list, std::string_view record, float* out, size_t room) {
  size_t count = 0;
  for_each_field(list, record, "a damaged FloatList",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1) return reader.skip(type);
                   uint32_t bits = 0;
                   std::string_view packed;
                   if (type == WireType::fixed32) {
                     if (!reader.read_fixed32(bits)) return false;
                     packed = {reinterpret_cast<const char*>(&bits), 4};
                   } else if (type != WireType::bytes || !reader.read_bytes(packed) ||
                              packed.size() % 4 != 0) {
                     return false;
                   }
                   const size_t found = packed.size() / 4;
                   const size_t stored = std::min(found, room - std::min(room, count));
                   if (stored > 0) std::memcpy(out + count, packed.data(), 4 * stored);
                   count += found;
                   return true;
                 });
  return count;
}

size_t read_strings(std::string_view list, std::string_view record, std::string_view* out,
                    size_t room) {
  size_t count = 0;
  for_each_field(list, record, "a damaged BytesList",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1) return reader.skip(type);
                   std::string_view value;
                   if (type != WireType::bytes || !reader.read_bytes(value)) return false;
                   if (count < room) out[count] = value;
                   ++count;
                   return true;
                 });
  return count;
}

}  // namespace

void for_each_feature(std::string_view record, FunctionRef<void(const RawFeature&)> visit) {
  for_each_field(record, record, "a damaged Example",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1 || type != WireType::bytes) return reader.skip(type);
                   std::string_view features;
                   if (!reader.read_bytes(features)) return false;
                   for_each_field(features, record, "damaged Features",
                                  [&](uint32_t inner, WireType inner_type, WireReader& entries) {
                                    if (inner != 1 || inner_type != WireType::bytes)
                                      return entries.skip(inner_type);
                                    std::string_view entry;
                                    if (!entries.read_bytes(entry)) return false;
                                    visit(read_entry(entry, record));
                                    return true;
                                  });
                   return true;
                 });
}

size_t read_values(const RawFeature& feature, std::string_view record, void* out, size_t room) {
  switch (feature.kind) {
    case FeatureKind::bytes:
      return read_strings(feature.list, record, static_cast<std::string_view*>(out), room);
    case FeatureKind::floats:
      return read_floats(feature.list, record, static_cast<float*>(out), room);
    case FeatureKind::int64s:
      return read_int64s(feature.list, record, static_cast<int64_t*>(out), room);
    case FeatureKind::none:
      return 0;
  }
  return 0;
}

}  // namespace io
}  // namespace systolic::inline v0
