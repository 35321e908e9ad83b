// How VHLO and StableHLO have the same attribute: VHLO spells out each one, as constants where
// StableHLO has lists of axes, and names functions by strings.
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace stablehlo {

enum class VhloForm : uint8_t {
  same,
  axes,      // a constant becomes array<i64: ...>
  booleans,  // array<i1: ...>
  symbol,    // a string becomes @name
  symbols,   // strings in a list do
  channel,   // a number becomes a channel handle
  flag,      // true becomes the attribute's name alone
};

// What an attribute is when StableHLO leaves it out.
enum class VhloDefault : uint8_t {
  none,
  minus_one,
  zero,
  one,
  ones,
  zeros,
  empty,
  no_type,
  default_words,
  exact
};

struct VhloRule {
  std::string_view name;
  VhloForm form;
  VhloDefault otherwise = VhloDefault::none;
};

// nullptr for attributes that both have alike, and always.
const VhloRule* find_vhlo_rule(std::string_view name);

}  // namespace stablehlo
}  // namespace systolic::inline v0
