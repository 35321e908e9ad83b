#include "systolic/stablehlo/bytecode/encoding/tables.h"

#include "systolic/stablehlo/bytecode/encoding/sections.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

std::string with_dialect(BytecodeDialect dialect, std::string_view text) {
  return std::string(1, static_cast<char>(dialect)).append(text);
}

// Entries of one dialect that follow each other: its number, how many, and what `each` writes.
template <class Each>
void write_groups(const std::vector<std::string>& entries, ByteWriter& to, const Each& each) {
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin;
    while (end < entries.size() && entries[end][0] == entries[begin][0]) ++end;
    to.varint(static_cast<uint64_t>(entries[begin][0]));
    to.varint(end - begin);
    for (; begin < end; ++begin) each(begin);
  }
}

void write_section(SectionId id, const ByteWriter& section, ByteWriter& to) {
  to.byte(static_cast<uint8_t>(id));
  to.sized(section.bytes());
}

}  // namespace

uint64_t BytecodeTables::Numbered::number(std::string entry) {
  const auto [place, is_new] = numbers.try_emplace(std::move(entry), entries.size());
  if (is_new) entries.push_back(place->first);
  return place->second;
}

uint64_t BytecodeTables::string(std::string_view text) {
  return strings_.number(std::string(text));
}
uint64_t BytecodeTables::op_name(BytecodeDialect dialect, std::string_view name) {
  return op_names_.number(with_dialect(dialect, name));
}
uint64_t BytecodeTables::attribute(BytecodeDialect dialect, const ByteWriter& encoded) {
  return attributes_.number(with_dialect(dialect, encoded.bytes()));
}
uint64_t BytecodeTables::type(BytecodeDialect dialect, const ByteWriter& encoded) {
  return types_.number(with_dialect(dialect, encoded.bytes()));
}
uint64_t BytecodeTables::properties(const ByteWriter& encoded) {
  return properties_.number(encoded.bytes());
}

ByteWriter BytecodeTables::dialects(const std::vector<uint64_t>& dialect_names,
                                    const std::vector<uint64_t>& ops) {
  ByteWriter section;
  section.varint(dialect_names.size());
  for (const uint64_t name : dialect_names) section.flagged(name, false);  // without a version
  section.varint(ops.size());
  write_groups(op_names_.entries, section, [&](size_t i) { section.flagged(ops[i], true); });
  return section;
}

std::string BytecodeTables::file(std::string_view producer, const ByteWriter& ir) {
  std::vector<uint64_t> dialect_names{string("builtin"), string("vhlo")}, ops;
  for (const std::string& op : op_names_.entries) ops.push_back(string(op.substr(1)));
  const ByteWriter dialect_section = dialects(dialect_names, ops);

  ByteWriter offsets, data, strings, properties;
  offsets.varint(attributes_.entries.size());
  offsets.varint(types_.entries.size());
  for (const Numbered* all : {&attributes_, &types_}) {
    write_groups(all->entries, offsets, [&](size_t i) {
      const std::string encoded = all->entries[i].substr(1);
      offsets.flagged(encoded.size(), true);  // in its dialect's own encoding
      data.append(encoded);
    });
  }
  properties.varint(properties_.entries.size());
  for (const std::string& one : properties_.entries) properties.sized(one);
  strings.varint(strings_.entries.size());
  for (size_t i = strings_.entries.size(); i > 0; --i)
    strings.varint(strings_.entries[i - 1].size() + 1);
  for (const std::string& one : strings_.entries) strings.append(one + '\0');

  ByteWriter file;
  file.append(magic_number);
  file.varint(newest_version);
  file.append(producer);
  file.byte(0);
  write_section(SectionId::dialects, dialect_section, file);
  write_section(SectionId::attributes_and_types, data, file);
  write_section(SectionId::offsets, offsets, file);
  write_section(SectionId::ir, ir, file);
  write_section(SectionId::properties, properties, file);
  write_section(SectionId::strings, strings, file);
  return file.bytes();
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
