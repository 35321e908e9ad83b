#include "systolic/text/regex.h"

#include <oniguruma.h>

#include <chrono>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/text/known_patterns.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr size_t most_pattern_bytes = 64 << 10;
constexpr unsigned long most_retries = 10'000'000;  // of one search
constexpr unsigned int most_stack = 4'000'000;      // entries
constexpr auto most_time = std::chrono::seconds(60);
// In a longer text each place is tried by itself, with a look at the clock between: a look ahead to
// the end from each takes the square of the length, and no retries that a limit would count.
constexpr size_t long_text_bytes = 1 << 16;
constexpr size_t places_between_looks = 256;

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
    const int code =
        onig_new(&regex_, bytes(pattern_.data()), bytes(pattern_.data() + pattern_.size()),
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
    Search search(pattern_);
    size_t at = 0;
    int64_t last_end = -1;
    while (at <= text.size()) {
      if (!search.find(regex_, text, at)) break;
      const Range range = search.range();
      if (range.begin == range.end && range.end == last_end) {  // not twice at one place
        at += at < text.size() ? utf8_size(static_cast<unsigned char>(text[at])) : 1;
        continue;
      }
      at = range.end;
      last_end = range.end;
      found.push_back(range);
      if (found.size() % 1024 == 0) search.look_at_clock();
    }
    return found;
  }

 private:
  [[noreturn]] static void raise_too_long(const std::string& pattern) {
    raise<ResourceExhausted>(
        {.what = str("the regular expression '", pattern.substr(0, 200), "' tries too many ways"),
         .hint = "avoid repetitions inside repetitions, such as (a*)*"});
  }

  // What one thread needs to search.
  class Search {
   public:
    explicit Search(const std::string& pattern)
        : pattern_(pattern),
          begins_anywhere_(pattern.find("\\G") ==
                           std::string::npos),  // \G is where a search begins
          region_(onig_region_new()),
          limits_(onig_new_match_param()) {
      onig_set_retry_limit_in_match_of_match_param(limits_, most_retries);
      onig_set_retry_limit_in_search_of_match_param(limits_, most_retries);
      onig_set_match_stack_limit_size_of_match_param(limits_, most_stack);
    }
    ~Search() {
      onig_region_free(region_, 1);
      onig_free_match_param(limits_);
    }
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    bool find(regex_t* regex, const std::string& text, size_t at) {
      if (begins_anywhere_ && text.size() > long_text_bytes) return find_by_places(regex, text, at);
      const char* begin = text.data();
      const char* end = begin + text.size();
      return is_match(onig_search_with_param(regex, bytes(begin), bytes(end), bytes(begin + at),
                                             bytes(end), region_, ONIG_OPTION_NONE, limits_));
    }
    void look_at_clock() const {
      if (std::chrono::steady_clock::now() - begin_ > most_time) raise_too_long(pattern_);
    }
    Range range() const {
      return {static_cast<uint32_t>(region_->beg[0]), static_cast<uint32_t>(region_->end[0])};
    }

   private:
    bool is_match(int code) const {
      if (code < 0 && code != ONIG_MISMATCH) raise_too_long(pattern_);
      return code != ONIG_MISMATCH;
    }
    bool find_by_places(regex_t* regex, const std::string& text, size_t at) {
      const char* begin = text.data();
      const char* end = begin + text.size();
      while (true) {
        if (++places_ % places_between_looks == 0) look_at_clock();
        if (is_match(onig_match_with_param(regex, bytes(begin), bytes(end), bytes(begin + at),
                                           region_, ONIG_OPTION_NONE, limits_))) {
          return true;
        }
        if (at >= text.size()) return false;
        at += utf8_size(static_cast<unsigned char>(text[at]));
      }
    }

    const std::string& pattern_;
    const bool begins_anywhere_;
    size_t places_ = 0;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
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
