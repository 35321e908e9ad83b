#include "systolic/text/patterns/regex.h"

#include <oniguruma.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/text/patterns/known_patterns.h"
#include "systolic/text/patterns/punctuation_class.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr size_t most_pattern_bytes = 64 << 10;
constexpr unsigned int most_stack = 4'000'000;  // entries
constexpr uint64_t most_retries = 10'000'000;   // at one place, or in a search with \G
// The clock is checked, too: a look ahead to the end from each place takes quadratic time without
// any retries that a limit would count. Ordinary patterns read more than 10 MB a second and have
// ten times as long as they need; a quadratic one takes three seconds at some 60,000 letters.
constexpr std::chrono::nanoseconds least_time = std::chrono::seconds(3), time_a_byte(1000);
// How many letters can be compared in some three to seven seconds. A pattern may compare all
// letters from each one at a single place (.*.*x), where nothing stops it, and the allowed retries
// take no longer.
constexpr uint64_t most_steps = uint64_t{1} << 31;
constexpr uint64_t most_places_between_looks = 32;
constexpr uint64_t most_letters_at_once = 1 << 16;  // in a search that cannot be split

using Clock = std::chrono::steady_clock;

thread_local Clock::time_point end_of_searches = Clock::time_point::max();

Clock::time_point end_of_search(size_t bytes) {
  return std::min(end_of_searches,
                  Clock::now() + least_time + time_a_byte * static_cast<int64_t>(bytes));
}

const OnigUChar* bytes(const char* text) { return reinterpret_cast<const OnigUChar*>(text); }

std::string error_text(int code, OnigErrorInfo* info = nullptr) {
  OnigUChar buffer[ONIG_MAX_ERROR_MESSAGE_LEN + 1] = {};
  const int size = info == nullptr ? onig_error_code_to_str(buffer, code)
                                   : onig_error_code_to_str(buffer, code, info);
  return std::string(reinterpret_cast<const char*>(buffer), static_cast<size_t>(std::max(0, size)));
}

class OnigurumaPattern : public Pattern {
 public:
  explicit OnigurumaPattern(const std::string& pattern) : pattern_(pattern) {
    static std::once_flag once;
    std::call_once(once, [] {
      OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
      onig_initialize(encodings, 1);
    });
    OnigErrorInfo info;
    const std::string read = with_known_punctuation(pattern_);
    const int code = onig_new(&regex_, bytes(read.data()), bytes(read.data() + read.size()),
                              ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT, &info);
    if (code != ONIG_NORMAL) {
      raise<InvalidArgument>({.what = str("the regular expression '", pattern_.substr(0, 200),
                                          "' cannot be read: ", error_text(code, &info))});
    }
  }
  ~OnigurumaPattern() override { onig_free(regex_); }
  OnigurumaPattern(const OnigurumaPattern&) = delete;
  OnigurumaPattern& operator=(const OnigurumaPattern&) = delete;

  std::vector<Range> find_all(const std::string& text) const override {
    std::vector<Range> found;
    if (Clock::now() > end_of_searches) raise_too_long(pattern_);
    Search search(pattern_, text);
    size_t at = 0;
    int64_t last_end = -1;
    while (at <= text.size()) {
      if (!search.find(regex_, at)) break;
      const Range range = search.range();
      if (range.begin == range.end && range.end == last_end) {  // not twice at one place
        at += at < text.size() ? utf8_size(static_cast<unsigned char>(text[at])) : 1;
        continue;
      }
      at = range.end;
      last_end = range.end;
      found.push_back(range);
    }
    return found;
  }

 private:
  [[noreturn]] static void raise_too_long(const std::string& pattern) {
    raise<ResourceExhausted>(
        {.what = str("the regular expression '", pattern.substr(0, 200), "' backtracks too much"),
         .hint = "avoid repetitions inside repetitions, such as (a*)*, and lookahead to the end "
                 "of a long text"});
  }

  // What one thread needs to search one text.
  class Search {
   public:
    Search(const std::string& pattern, const std::string& text)
        : pattern_(pattern),
          text_(text),
          end_of_search_(end_of_search(text.size())),
          region_(onig_region_new()),
          limits_(onig_new_match_param()) {
      const uint64_t letters = text.size() + 1;
      const uint64_t steps = letters * std::max(letters, uint64_t{pattern.size()});
      places_between_looks_ =
          std::clamp<uint64_t>(most_steps / steps, 1, most_places_between_looks);
      // \G stands for where a search begins, which is the same place for all of them.
      begins_once_ = pattern.find("\\G") != std::string::npos;
      by_places_ = begins_once_ ? letters > most_letters_at_once : steps > 4 * most_steps / letters;
      // Twice the letters: a word as long as the text may be given back letter by letter.
      const uint64_t retries =
          begins_once_ ? most_retries
                       : std::min(most_retries, std::max(2 * letters, most_steps / letters));
      onig_set_retry_limit_in_match_of_match_param(limits_, retries);
      onig_set_retry_limit_in_search_of_match_param(limits_, retries);
      onig_set_match_stack_limit_size_of_match_param(limits_, most_stack);
    }
    ~Search() {
      onig_region_free(region_, 1);
      onig_free_match_param(limits_);
    }
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    bool find(regex_t* regex, size_t at) {
      if (by_places_) return find_by_places(regex, at);
      const bool found = is_match(onig_search_with_param(regex, begin(), end(), begin() + at, end(),
                                                         region_, ONIG_OPTION_NONE, limits_));
      count_places(1 + (found ? range().begin : text_.size()) - at);
      return found;
    }
    Range range() const {
      return {static_cast<uint32_t>(region_->beg[0]), static_cast<uint32_t>(region_->end[0])};
    }

   private:
    const OnigUChar* begin() const { return bytes(text_.data()); }
    const OnigUChar* end() const { return begin() + text_.size(); }
    bool is_match(int code) const {
      if (code < 0 && code != ONIG_MISMATCH) raise_too_long(pattern_);
      return code != ONIG_MISMATCH;
    }
    bool find_by_places(regex_t* regex, size_t at) {
      if (begins_once_) raise_too_long(pattern_);
      while (true) {
        count_places(1);
        if (is_match(onig_match_with_param(regex, begin(), end(), begin() + at, region_,
                                           ONIG_OPTION_NONE, limits_))) {
          return true;
        }
        if (at >= text_.size()) return false;
        at += utf8_size(static_cast<unsigned char>(text_[at]));
      }
    }
    void count_places(uint64_t places) {
      since_look_ += places;
      if (since_look_ < places_between_looks_) return;
      since_look_ = 0;
      if (Clock::now() > end_of_search_) raise_too_long(pattern_);
    }

    const std::string& pattern_;
    const std::string& text_;
    const Clock::time_point end_of_search_;
    bool begins_once_ = false;
    bool by_places_ = false;  // each is tried by itself, with looks at the clock between
    uint64_t places_between_looks_ = 1, since_look_ = 0;
    OnigRegion* region_;
    OnigMatchParam* limits_;
  };

  std::string pattern_;
  regex_t* regex_ = nullptr;
};

class LiteralPattern : public Pattern {
 public:
  explicit LiteralPattern(std::string text) : literal_(std::move(text)) {}
  std::vector<Range> find_all(const std::string& text) const override {
    std::vector<Range> found;
    for (size_t at = text.find(literal_); at != std::string::npos;
         at = text.find(literal_, at + literal_.size())) {
      found.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + literal_.size())});
    }
    return found;
  }

 private:
  std::string literal_;
};

}  // namespace

SearchTime::SearchTime(size_t bytes)
    : end_of_outer_(std::exchange(end_of_searches, end_of_search(bytes))) {}
SearchTime::~SearchTime() { end_of_searches = end_of_outer_; }

std::shared_ptr<const Pattern> regex_pattern(const std::string& pattern) {
  if (pattern.size() > most_pattern_bytes) {
    raise<InvalidArgument>({.what = str("a regular expression of ", pattern.size(), " bytes"),
                            .wanted = str("at most ", most_pattern_bytes)});
  }
  if (auto known = known_pattern(pattern)) return known;
  return std::make_shared<OnigurumaPattern>(pattern);
}

std::shared_ptr<const Pattern> literal_pattern(const std::string& text) {
  if (text.empty()) return regex_pattern(text);
  return std::make_shared<LiteralPattern>(text);
}

std::shared_ptr<const Pattern> pattern_from(const JsonView& json) {
  if (json.has("String")) return literal_pattern(json.at("String").string());
  return regex_pattern(json.at("Regex").string());
}

}  // namespace text
}  // namespace systolic::inline v0
