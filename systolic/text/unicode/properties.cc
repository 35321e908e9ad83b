#include "systolic/text/unicode/properties.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace systolic::inline v0 {
namespace text {
namespace {

struct Run {
  uint32_t first, flags;
};
constexpr Run runs[] = {
#include "systolic/text/unicode/properties.inc"
};

struct Case {
  uint32_t from, to;
};
constexpr Case lower_cases[] = {
#include "systolic/text/unicode/case.inc"
};

constexpr uint32_t characters = 0x110000;

// The blocks of CJK ideographs that BERT's own tokenizer lists.
constexpr Run ideographs[] = {
    {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
    {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F},
};

std::vector<uint32_t> make_properties() {
  std::vector<uint32_t> table(characters, 0);
  for (size_t i = 0; i < std::size(runs); ++i) {
    const uint32_t end = i + 1 < std::size(runs) ? runs[i + 1].first : characters;
    std::fill(table.begin() + runs[i].first, table.begin() + end, runs[i].flags);
  }
  for (const auto& [first, last] : ideographs) {
    for (uint32_t c = first; c <= last; ++c) table[c] |= bert_ideograph;
  }
  return table;
}

constexpr uint32_t cased_end = 0x1F000;

std::vector<char32_t> make_lower_cases() {
  std::vector<char32_t> table(cased_end);
  for (uint32_t c = 0; c < cased_end; ++c) table[c] = c;
  for (const auto& [from, to] : lower_cases) table[from] = to;
  return table;
}

}  // namespace

const uint32_t* property_table() {
  static const std::vector<uint32_t> table = make_properties();
  return table.data();
}

char32_t simple_lower_case(char32_t c) {
  static const std::vector<char32_t> table = make_lower_cases();
  return c < cased_end ? table[c] : c;
}

}  // namespace text
}  // namespace systolic::inline v0
