// Regular expressions of tokenizer.json, in Oniguruma's syntax.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "systolic/text/pieces/json_view.h"
#include "systolic/text/pieces/pieces.h"

namespace systolic::inline v0 {
namespace text {

// Finds the parts of a text that a pattern matches, from left to right, without overlaps.
class Pattern {
 public:
  virtual ~Pattern() = default;
  // `text` is valid UTF-8. ResourceExhausted where the pattern backtracks too much, or takes more
  // than a few seconds.
  virtual std::vector<Range> find_all(const std::string& text) const = 0;
};

// While it lives, all searches of its thread together may take no longer than one in a text of that
// many bytes: for where a pattern is applied to each part of a text.
class SearchTime {
 public:
  explicit SearchTime(size_t bytes);
  ~SearchTime();
  SearchTime(const SearchTime&) = delete;
  SearchTime& operator=(const SearchTime&) = delete;

 private:
  std::chrono::steady_clock::time_point end_of_outer_;
};

// The patterns that GPT-2, GPT-4 and Llama 3 split by have matchers of their own; others run in
// Oniguruma. InvalidArgument for an invalid pattern, or one of more than 64 KiB.
std::shared_ptr<const Pattern> regex_pattern(const std::string& pattern);
// The text itself.
std::shared_ptr<const Pattern> literal_pattern(const std::string& text);
// {"String": "..."} or {"Regex": "..."}
std::shared_ptr<const Pattern> pattern_from(const JsonView& json);

}  // namespace text
}  // namespace systolic::inline v0
