// VHLO's ops: which attributes each has, and how they become StableHLO's.
#pragma once

#include <string_view>
#include <vector>

#include "systolic/stablehlo/bytecode/encoding/reader.h"

namespace systolic::inline v0 {
namespace stablehlo {

struct VhloOp {
  std::string_view name;  // "add_v1"
  // Its attributes in the order of their names, which is that of the encoding, with spaces between.
  // "lower!" is kept when it equals its default, "padding-" says what an operand says too,
  // "channel_id=" is taken as it is.
  std::string_view attributes;
};

// nullptr for names that are not ops of VHLO.
const VhloOp* find_vhlo_op(std::string_view name);

// "stablehlo.add" for "add_v1", "func.call" for "call_v1".
std::string stablehlo_name(std::string_view vhlo_name);

// "a b" as {"a", "b"}.
std::vector<std::string_view> words_of(std::string_view text);

// The attributes of an op of VHLO as StableHLO has them.
std::vector<NamedAttribute> to_stablehlo(Reader& reader, const Bytes& at, const VhloOp& op,
                                         std::vector<NamedAttribute> attributes);

// Converts one attribute of VHLO to StableHLO's, by its name: into `to`, or nothing where it only
// says what its absence would.
void convert_attribute(Reader& reader, const Bytes& at, NamedAttribute attribute, bool keep_default,
                       std::vector<NamedAttribute>& to);

// Combines attributes that StableHLO has as one: dimension numbers, dot algorithms, channels.
void group_attributes(Reader& reader, const Bytes& at, std::string_view stablehlo_op,
                      std::vector<NamedAttribute>& attributes);

// The numbers of a list of axes, sizes and the like.
std::vector<int64_t> numbers_of(Reader& reader, const Bytes& at, const NamedAttribute& attribute);
Attribute channel_handle(Reader& reader, int64_t handle, int64_t type);

}  // namespace stablehlo
}  // namespace systolic::inline v0
