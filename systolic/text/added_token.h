// A token that is found in a text before the model sees it: [MASK], <|endoftext|>.
#pragma once

#include <string>

namespace systolic::inline v0 {

struct AddedToken {
  std::string content = {};
  bool single_word = false;  // only between characters that are no letters, digits or underscores
  bool lstrip = false;       // takes the whitespace before it
  bool rstrip = false;       // takes the whitespace behind it
  bool normalized = true;    // is looked for in the normalized text, and normalized itself
  bool special = false;      // is left out by decode with skip_special_tokens
  bool operator==(const AddedToken&) const = default;
};

}  // namespace systolic::inline v0
