// How the ops of StableHLO are spelled: one row an op, for reading.
//
// A row's format is what stands between the op's name and its attributes in braces:
//   %*                 the operands, separated by commas
//   <axes NAME>        [0, 1]; <int NAME> 3; <bool NAME> true; <float NAME> 0.1
//   <enum NAME TYPE>   a word of #stablehlo<TYPE WORD>
//   <symbol NAME>      @name;  <string NAME>  "name"
//   <elements NAME>    dense<...> : tensor<...>
//   <ranges>           [0:2, 1:8:2], slice's three attributes
//   <format>           e5m10, reduce_precision's two
//   <pairs A B>        [0] x [1], two attributes of dot_general
//   <enums NAME TYPE>  [DEFAULT, HIGH]
//   <fields NAME TYPE> <a = 1, b = 2>, the structure #TYPE<...>
//   <brackets NAME PREFIX> <...>, kept as PREFIX<...>
//   <reduce> <while> <window> <scan>   forms of their own, in pretty_forms.cc
//   ?(...)             may be left out; starts with a word or sign
//   other words and signs stand for themselves.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace stablehlo {

// What the text after ":" says.
enum class TypeForm {
  same,      // T: of every operand and result; or a function type
  result,    // T, ...: of the results; operands are not named
  operands,  // T, ...: of the operands; there are no results
  pairwise,  // T, ...: of the operands, and of the results likewise
  select,    // P, T: of the predicate, and of all else; or a function type
  arrow,     // T, ... -> T or (T, ...)
  function,  // (T, ...) -> T or (T, ...)
  none,      // nothing stands there: the format says the types
};

struct PrettySyntax {
  std::string_view name;
  std::string_view format;
  TypeForm types;
};

struct Piece {
  enum class Kind {
    literal,
    operands,
    axes,
    integer,
    boolean,
    floating,
    enumeration,
    enumerations,
    symbol,
    string,
    elements,
    ranges,
    format,
    pairs,
    fields,
    brackets,
    reduce,
    while_,
    window,
    scan,
    manual,
    optional_begin,
    optional_end
  };
  Kind kind;
  std::string_view text;         // of a literal; the attribute's name
  std::string_view second = {};  // the enumeration's type; the other attribute of a pair
};

struct CompiledSyntax {
  const PrettySyntax* row = nullptr;
  std::vector<Piece> pieces;
};

// The parts of <window>, as they are written and as the op's attributes.
inline constexpr std::pair<std::string_view, std::string_view> window_parts[] = {
    {"stride", "window_strides"},
    {"pad", "padding"},
    {"lhs_dilate", "lhs_dilation"},
    {"rhs_dilate", "rhs_dilation"},
    {"reverse", "window_reversal"}};

// nullptr for ops that have only the generic form.
const CompiledSyntax* find_syntax(std::string_view op);

}  // namespace stablehlo
}  // namespace systolic::inline v0
