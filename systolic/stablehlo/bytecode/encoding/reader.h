// What the parts of the reader share: the tables of attributes and types, read when first asked
// for, and a count of how much the bytecode may expand to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "systolic/stablehlo/bytecode/encoding/sections.h"
#include "systolic/stablehlo/parse/parser.h"

namespace systolic::inline v0 {
namespace stablehlo {

class Reader {
 public:
  explicit Reader(Program& program);

  Program& program() { return program_; }
  const Sections& sections() const { return sections_; }

  // The attribute or type whose number comes next. Bytecode shares them, a Program does not: each
  // use costs what the attribute holds.
  Attribute attribute(Bytes& bytes) { return attribute_at(bytes, bytes.varint()); }
  Attribute attribute_at(const Bytes& bytes, uint64_t index);
  // Nothing where the flag in the number's lowest bit is not set.
  std::optional<Attribute> optional_attribute(Bytes& bytes);
  TypeId type(Bytes& bytes) { return type_at(bytes, bytes.varint()); }
  TypeId type_at(const Bytes& bytes, uint64_t index);
  std::vector<TypeId> types(Bytes& bytes);
  std::string_view string(Bytes& bytes) const { return sections_.string(bytes); }
  // A type that must be a scalar: an element type.
  const Type& element(Bytes& bytes);

  TypeId intern(const Bytes& bytes, Type type);
  TypeId scalar(ElementType element) { return interner_.scalar(element); }
  // A text that does not appear in the source.
  std::string_view implied(std::string text) { return interner_.implied(std::move(text)); }
  // The text with what must be escaped inside quotes escaped.
  std::string_view escaped(std::string_view text);

  // Counts what is being read as `nodes` more items.
  void charge(const Bytes& bytes, uint64_t nodes);
  void weigh(uint64_t nodes) { frame_.weight += nodes; }
  // Nothing is kept of the parts of what is being read.
  void weigh_one() { frame_ = {}; }

  // Lives while something nested is read.
  class Depth {
   public:
    Depth(Reader& reader, const Bytes& bytes);
    ~Depth() { --reader_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Reader& reader_;
  };

 private:
  enum class State : uint8_t { unread, reading, read };
  // What an attribute or type expands to.
  struct Frame {
    uint64_t weight = 1;
    int height = 0;
  };
  struct AttributeEntry {
    Attribute value;
    Frame frame;
    State state = State::unread;
  };
  struct TypeEntry {
    TypeId value = no_type;
    Frame frame;
    State state = State::unread;
  };

  template <class Entry, class Read>
  void resolve(const EncodedEntry& encoded, Entry& entry, const Read& read);
  Attribute decode_attribute(const EncodedEntry& encoded);
  TypeId decode_type(const EncodedEntry& encoded);
  void include(const Bytes& bytes, const Frame& part);

  Program& program_;
  Sections sections_;
  Parser interner_;
  std::vector<AttributeEntry> attributes_;
  std::vector<TypeEntry> types_;
  Frame frame_;  // of what is being read
  uint64_t budget_;
  int depth_ = 0;
  int resolving_ = 0;  // attributes and types that are being read
};

// Dialects' encodings. `bytes` holds one attribute or type.
Attribute read_builtin_attribute(Reader& reader, Bytes& bytes);
TypeId read_builtin_type(Reader& reader, Bytes& bytes);
Attribute read_vhlo_attribute(Reader& reader, Bytes& bytes);
TypeId read_vhlo_type(Reader& reader, Bytes& bytes);
TypeId read_stablehlo_type(Reader& reader, Bytes& bytes);
Attribute read_sdy_attribute(Reader& reader, Bytes& bytes);

}  // namespace stablehlo
}  // namespace systolic::inline v0
