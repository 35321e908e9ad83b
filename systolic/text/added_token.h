// A token that is found in a text before the model sees it: [MASK], <|endoftext|>.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systolic::inline v0 {

struct AddedToken {
  std::string content = {};
  bool single_word = false;  // only where no letter, digit or underscore is next to it
  bool lstrip = false;       // takes the whitespace before it
  bool rstrip = false;       // takes the whitespace after it
  // It is looked for in the normalized text, and normalized itself. By default: unless it is
  // special.
  std::optional<bool> normalized = {};
  bool special = false;  // decode with skip_special_tokens leaves it out

  bool is_normalized() const { return normalized.value_or(!special); }
  bool operator==(const AddedToken& other) const {
    return content == other.content && single_word == other.single_word && lstrip == other.lstrip &&
           rstrip == other.rstrip && special == other.special &&
           is_normalized() == other.is_normalized();
  }
};

// {"[CLS]", "[SEP]"}, or {{.content = "[MASK]", .lstrip = true}}.
struct AddedTokenList : std::vector<AddedToken> {
  using std::vector<AddedToken>::vector;
  AddedTokenList(std::vector<AddedToken> tokens)  // NOLINT
      : std::vector<AddedToken>(std::move(tokens)) {}
  AddedTokenList(const std::vector<std::string>& contents) {  // NOLINT
    for (const std::string& content : contents) push_back({.content = content});
  }
  AddedTokenList(std::initializer_list<std::string_view> contents) {
    for (const std::string_view content : contents) push_back({.content = std::string(content)});
  }
};

}  // namespace systolic::inline v0
