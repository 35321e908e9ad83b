#include "systolic/stablehlo/bytecode/encoding/reader.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// How much a Program may hold in any case and for each byte of bytecode. JAX's programs need about
// two things a byte.
constexpr uint64_t free_things = 1 << 18, things_per_byte = 8;

[[noreturn]] void unknown_encoding(const Program& program, const EncodedEntry& encoded,
                                   std::string_view what) {
  const size_t at = encoded.bytes.offset();
  raise<Unimplemented>({.what = str(place_of(program, at), ": ", what, " of dialect '",
                                    encoded.dialect, "' in that dialect's own encoding"),
                        .hint = "serialize the module as a StableHLO portable artifact"});
}

}  // namespace

Reader::Reader(Program& program)
    : program_(program),
      sections_(read_sections(program)),
      interner_(program),
      attributes_(sections_.attributes.size()),
      types_(sections_.types.size()),
      budget_(free_things + things_per_byte * program.source->size()) {}

Reader::Depth::Depth(Reader& reader, const Bytes& bytes) : reader_(reader) {
  if (reader.depth_ >= max_nesting) {
    bytes.fail("nesting", str("more than ", max_nesting, " levels"), "less");
  }
  ++reader.depth_;
}

void Reader::charge(const Bytes& bytes, uint64_t nodes) {
  if (nodes > budget_) {
    bytes.fail("the bytecode expands to too much",
               str("more than ", free_things + things_per_byte * program_.source->size(),
                   " attributes and types"),
               "less sharing");
  }
  budget_ -= nodes;
}

// What is being read holds `part`.
void Reader::include(const Bytes& bytes, const Frame& part) {
  charge(bytes, part.weight);
  frame_.weight += part.weight;
  frame_.height = std::max(frame_.height, part.height + 1);
  if (frame_.height > max_nesting) {
    bytes.fail("nesting", str("more than ", max_nesting, " levels"), "less");
  }
}

template <class Entry, class Read>
void Reader::resolve(const EncodedEntry& encoded, Entry& entry, const Read& read) {
  if (entry.state == State::read) return;
  if (entry.state == State::reading) {
    encoded.bytes.fail("an attribute or type", "one that holds itself", "one that ends");
  }
  const Depth depth(*this, encoded.bytes);
  entry.state = State::reading;
  const Frame outer = frame_;
  frame_ = {};
  ++resolving_;
  entry.value = read(encoded);
  --resolving_;
  entry.frame = frame_;
  frame_ = outer;
  entry.state = State::read;
}

Attribute Reader::attribute_at(const Bytes& bytes, uint64_t index) {
  if (index >= attributes_.size()) {
    bytes.fail("the number of an attribute", str(index), str("less than ", attributes_.size()));
  }
  const auto i = static_cast<size_t>(index);
  AttributeEntry& entry = attributes_[i];
  resolve(sections_.attributes[i], entry,
          [this](const EncodedEntry& encoded) { return decode_attribute(encoded); });
  include(bytes, entry.frame);
  return entry.value;
}

std::optional<Attribute> Reader::optional_attribute(Bytes& bytes) {
  const auto [index, there] = bytes.flagged();
  if (!there) return std::nullopt;
  return attribute_at(bytes, index);
}

TypeId Reader::type_at(const Bytes& bytes, uint64_t index) {
  if (index >= types_.size()) {
    bytes.fail("the number of a type", str(index), str("less than ", types_.size()));
  }
  const auto i = static_cast<size_t>(index);
  TypeEntry& entry = types_[i];
  const bool known = entry.state == State::read;
  resolve(sections_.types[i], entry,
          [this](const EncodedEntry& encoded) { return decode_type(encoded); });
  // A type that is known costs an index, unless another type is made of it.
  if (known && resolving_ == 0) return entry.value;
  include(bytes, entry.frame);
  return entry.value;
}

std::vector<TypeId> Reader::types(Bytes& bytes) {
  std::vector<TypeId> result(bytes.count("types"));
  for (TypeId& id : result) id = type(bytes);
  return result;
}

const Type& Reader::element(Bytes& bytes) {
  const Type& found = program_.type(type(bytes));
  if (found.kind != Type::Kind::scalar) bytes.fail("an element type", {}, "a scalar type");
  return found;
}

TypeId Reader::intern(const Bytes& bytes, Type type) {
  charge(bytes, frame_.weight);  // its text is as long as it is heavy
  return interner_.intern(std::move(type));
}

std::string_view Reader::escaped(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c < '\x7F' && c != '"' && c != '\\'; };
  if (std::all_of(text.begin(), text.end(), plain)) return text;
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (plain(c)) {
      result += c;
    } else if (c == '\\') {
      result += "\\\\";
    } else {
      result += '\\';
      result += digits[code >> 4];
      result += digits[code & 15u];
    }
  }
  return implied(std::move(result));
}

Attribute Reader::decode_attribute(const EncodedEntry& encoded) {
  Bytes bytes = encoded.bytes;
  Attribute result;
  if (!encoded.custom) {
    Bytes text = bytes;
    const size_t size = text.terminated().size();
    interner_.scan().move_to(bytes.offset());
    result = interner_.attribute();
    if (interner_.scan().position() != bytes.offset() + size) {
      bytes.fail("an attribute's text", {}, "a text that ends at its zero byte");
    }
    weigh(size / 2);
  } else if (encoded.dialect == "builtin") {
    result = read_builtin_attribute(*this, bytes);
  } else if (encoded.dialect == "vhlo") {
    result = read_vhlo_attribute(*this, bytes);
  } else if (encoded.dialect == "sdy") {
    result = read_sdy_attribute(*this, bytes);
  } else {
    unknown_encoding(program_, encoded, "an attribute");
  }
  result.offset = encoded.bytes.offset();
  return result;
}

TypeId Reader::decode_type(const EncodedEntry& encoded) {
  Bytes bytes = encoded.bytes;
  if (encoded.custom) {
    if (encoded.dialect == "builtin") return read_builtin_type(*this, bytes);
    if (encoded.dialect == "vhlo") return read_vhlo_type(*this, bytes);
    if (encoded.dialect == "stablehlo") return read_stablehlo_type(*this, bytes);
    unknown_encoding(program_, encoded, "a type");
  }
  const size_t size = Bytes(bytes).terminated().size();
  interner_.scan().move_to(bytes.offset());
  const TypeId id = interner_.type();
  if (interner_.scan().position() != bytes.offset() + size) {
    bytes.fail("a type's text", {}, "a text that ends at its zero byte");
  }
  weigh(size / 2);
  return id;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
