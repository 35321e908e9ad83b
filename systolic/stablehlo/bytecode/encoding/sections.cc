#include "systolic/stablehlo/bytecode/encoding/sections.h"

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using SectionTable = std::array<std::optional<Bytes>, section_count>;

constexpr std::array<std::string_view, section_count> section_names{
    "strings",   "dialects",         "attributes and types", "offsets",   "IR",
    "resources", "resource offsets", "dialect versions",     "properties"};

void read_strings(Sections& sections, Bytes bytes) {
  const size_t count = bytes.count("strings");
  std::vector<size_t> sizes(count);
  for (size_t i = count; i > 0; --i) sizes[i - 1] = bytes.count("characters");
  sections.strings.reserve(count);
  for (size_t size : sizes) {
    const std::string_view text = bytes.take(size, "a string").text();
    if (text.empty() || text.back() != '\0') bytes.fail("a string", {}, "a zero byte at its end");
    sections.strings.push_back(text.substr(0, text.size() - 1));
  }
}

// Number of a dialect, and how many of its things follow.
std::pair<std::string_view, size_t> read_group(const Sections& sections, Bytes& bytes) {
  const uint64_t dialect = bytes.varint();
  if (dialect >= sections.dialects.size()) {
    bytes.fail("the number of a dialect", str(dialect),
               str("less than ", sections.dialects.size()));
  }
  return {sections.dialects[static_cast<size_t>(dialect)], bytes.count("a dialect's entries")};
}

void read_dialects(Sections& sections, Bytes bytes) {
  const size_t count = bytes.count("dialects");
  for (size_t i = 0; i < count; ++i) {
    if (sections.version < with_dialect_versions) {
      sections.dialects.push_back(sections.string(bytes));
      continue;
    }
    const auto [name, versioned] = bytes.flagged();
    sections.dialects.push_back(sections.string_at(bytes, name));
    if (versioned) read_section(bytes);  // what it says, the names of VHLO's ops say too
  }
  if (sections.version >= with_optional_locations) bytes.count("op names");
  while (!bytes.empty()) {
    const auto [dialect, names] = read_group(sections, bytes);
    for (size_t i = 0; i < names; ++i) {
      OpName& op = sections.op_names.emplace_back();
      op.dialect = dialect;
      if (sections.version < with_properties) {
        op.name = sections.string(bytes);
      } else {
        const auto [name, registered] = bytes.flagged();
        op.name = sections.string_at(bytes, name);
        op.registered = registered;
      }
    }
  }
}

void read_entries(const Sections& sections, std::vector<EncodedEntry>& entries, size_t count,
                  Bytes& offsets, Bytes& data) {
  while (entries.size() < count) {
    const auto [dialect, members] = read_group(sections, offsets);
    if (members == 0 || members > count - entries.size()) {
      offsets.fail("a dialect's entries", str(members), str("1 to ", count - entries.size()));
    }
    for (size_t i = 0; i < members; ++i) {
      const auto [size, custom] = offsets.flagged();
      entries.push_back({data.take(size, "an attribute or type"), dialect, custom});
    }
  }
}

void read_properties(Sections& sections, Bytes bytes) {
  const size_t count = bytes.count("properties");
  for (size_t i = 0; i < count; ++i) {
    const uint64_t size = bytes.varint();
    sections.properties.push_back(bytes.take(size, "properties"));
  }
}

void read_resource_group(Sections& sections, Bytes& offsets, Bytes& data, size_t count, bool keep) {
  for (size_t i = 0; i < count; ++i) {
    const std::string_view key = sections.string(offsets);
    const uint64_t size = offsets.varint();
    const uint8_t kind = offsets.byte();
    Bytes value = data.take(size, "a resource");
    if (!keep) continue;
    Resource& resource = sections.resources.emplace_back();
    resource.key = key;
    constexpr uint8_t is_blob = 0;
    if (kind != is_blob || value.empty()) continue;
    const uint64_t alignment = value.varint(), blob_size = value.varint();
    value.align(alignment);
    resource.blob = value.take(blob_size, "a resource's blob");
  }
}

void read_resources(Sections& sections, Bytes offsets, Bytes data) {
  const size_t external = offsets.count("resource groups");
  for (size_t i = 0; i < external; ++i) {
    sections.string(offsets);
    const size_t count = offsets.count("resources");
    read_resource_group(sections, offsets, data, count, false);
  }
  while (!offsets.empty()) {
    const size_t count = read_group(sections, offsets).second;
    read_resource_group(sections, offsets, data, count, true);
  }
}

Bytes required(const SectionTable& table, SectionId id, const Bytes& bytes) {
  const auto& section = table[static_cast<size_t>(id)];
  if (!section) {
    bytes.fail(str("the section of ", section_names[static_cast<size_t>(id)], " is missing"));
  }
  return *section;
}

SectionTable read_table(Bytes& bytes) {
  SectionTable table;
  while (!bytes.empty()) {
    const Section section = read_section(bytes);
    auto& place = table[static_cast<size_t>(section.id)];
    if (place) {
      bytes.fail(str("the section of ", section_names[static_cast<size_t>(section.id)],
                     " appears a second time"));
    }
    place = section.bytes;
  }
  return table;
}

}  // namespace

std::string_view Sections::string_at(const Bytes& bytes, uint64_t index) const {
  if (index >= strings.size()) {
    bytes.fail("the number of a string", str(index), str("less than ", strings.size()));
  }
  return strings[static_cast<size_t>(index)];
}

std::string_view Sections::string(Bytes& bytes) const { return string_at(bytes, bytes.varint()); }

Section read_section(Bytes& bytes) {
  const uint8_t head = bytes.byte();
  const uint8_t id = head & 0x7F;
  if (id >= section_count) bytes.fail("a section", str(id), str("0 to ", section_count - 1));
  const uint64_t size = bytes.varint();
  if ((head & 0x80) != 0) bytes.align(bytes.varint());
  return {static_cast<SectionId>(id), bytes.take(size, "a section")};
}

Sections read_sections(const Program& program) {
  Bytes bytes(program, 0, program.source->size());
  if (!program.source->starts_with(magic_number))
    bytes.fail("this is not MLIR bytecode", {}, "'ML\\xefR' first");
  bytes.take(4, "the magic number");
  Sections sections;
  sections.version = bytes.varint();
  if (sections.version > newest_version) {
    bytes.fail("the bytecode's version", str(sections.version), str("0 to ", newest_version));
  }
  sections.producer = bytes.terminated();
  const SectionTable table = read_table(bytes);
  read_strings(sections, required(table, SectionId::strings, bytes));
  read_dialects(sections, required(table, SectionId::dialects, bytes));
  Bytes offsets = required(table, SectionId::offsets, bytes);
  Bytes data = required(table, SectionId::attributes_and_types, bytes);
  const size_t attributes = offsets.count("attributes"), types = offsets.count("types");
  read_entries(sections, sections.attributes, attributes, offsets, data);
  read_entries(sections, sections.types, types, offsets, data);
  const auto& properties = table[static_cast<size_t>(SectionId::properties)];
  if (properties && !properties->empty()) read_properties(sections, *properties);
  const auto& resources = table[static_cast<size_t>(SectionId::resource_offsets)];
  if (resources) read_resources(sections, *resources, required(table, SectionId::resources, bytes));
  sections.ir = required(table, SectionId::ir, bytes);
  return sections;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
