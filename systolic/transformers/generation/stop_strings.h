// Texts that end what is generated. Internal to transformers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

class StopStrings {
 public:
  // None, where there are no `strings`; the tokenizer says what tokens stand for.
  StopStrings(std::vector<std::string> strings, std::optional<Tokenizer> tokenizer);

  // Whether one of them ends within the last of these tokens, as transformers' StopStringCriteria
  // has it.
  bool end_in_last(std::span<const int32_t> ids) const;

 private:
  std::vector<std::string> strings_;
  std::optional<Tokenizer> tokenizer_;
  size_t most_tokens_ = 0;  // that one of them can take part in
};

}  // namespace systolic::inline v0
