// The file's outer form: its sections, and those among them that are plain lists.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/bytecode/encoding/bytes.h"

namespace systolic::inline v0 {
namespace stablehlo {

enum class SectionId : uint8_t {
  strings,
  dialects,
  attributes_and_types,
  offsets,  // of attributes and types
  ir,
  resources,
  resource_offsets,
  dialect_versions,
  properties,
};
inline constexpr size_t section_count = 9;

// What a file of bytecode begins with.
inline constexpr std::string_view magic_number = "ML\xEFR";

// What each version of the bytecode added.
inline constexpr uint64_t with_dialect_versions = 1, with_lazy_regions = 2, with_use_orders = 3,
                          with_optional_locations = 4, with_properties = 5, newest_version = 6;

struct OpName {
  std::string_view dialect, name;  // "vhlo", "add_v1"
  bool registered = true;          // its properties are encoded by its dialect
};

// One attribute or type, not yet read.
struct EncodedEntry {
  Bytes bytes;
  std::string_view dialect;
  bool custom;  // encoded by its dialect; else as text
};

// A blob that constants refer to.
struct Resource {
  std::string_view key;
  std::optional<Bytes> blob;
};

struct Sections {
  uint64_t version = 0;
  std::string_view producer;
  std::vector<std::string_view> strings, dialects;
  std::vector<OpName> op_names;
  std::vector<EncodedEntry> attributes, types;
  std::vector<Bytes> properties;
  std::vector<Resource> resources;  // of dialects, in the file's order
  std::optional<Bytes> ir;

  // The string, dialect, ... whose number comes next.
  std::string_view string(Bytes& bytes) const;
  std::string_view string_at(const Bytes& bytes, uint64_t index) const;
};

struct Section {
  SectionId id;
  Bytes bytes;
};
Section read_section(Bytes& bytes);

Sections read_sections(const Program& program);

}  // namespace stablehlo
}  // namespace systolic::inline v0
