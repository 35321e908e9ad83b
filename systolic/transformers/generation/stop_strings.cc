#include "systolic/transformers/generation/stop_strings.h"

#include <algorithm>

namespace systolic::inline v0 {

StopStrings::StopStrings(std::vector<std::string> strings, std::optional<Tokenizer> tokenizer)
    : strings_(std::move(strings)), tokenizer_(std::move(tokenizer)) {
  // A token has a byte at least; the first that is decoded may lose the space in front.
  for (const std::string& one : strings_) most_tokens_ = std::max(most_tokens_, one.size() + 1);
}

bool StopStrings::end_in_last(std::span<const int32_t> ids) const {
  if (strings_.empty() || ids.empty()) return false;
  const auto tail = ids.last(std::min(ids.size(), most_tokens_));
  const std::string text = tokenizer_->decode(tail, false);
  const std::string before = tokenizer_->decode(tail.first(tail.size() - 1), false);
  // Part of a character is decoded otherwise when its last byte comes.
  const auto [in_text, in_before] = std::ranges::mismatch(text, before);
  const auto known = static_cast<size_t>(in_text - text.begin());
  return std::ranges::any_of(strings_, [&](const std::string& one) {
    const size_t at = text.rfind(one);
    return at != std::string::npos && at + one.size() > known;
  });
}

}  // namespace systolic::inline v0
