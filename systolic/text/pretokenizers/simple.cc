// Pre-tokenizers that split by properties of characters or by a pattern.
#include "systolic/base/error.h"
#include "systolic/text/patterns/regex.h"
#include "systolic/text/pretokenizers/make.h"
#include "systolic/text/unicode/properties.h"

namespace systolic::inline v0 {
namespace text {
namespace {

template <class F>
class FunctionPreTokenizer : public PreTokenizer {
 public:
  explicit FunctionPreTokenizer(F f) : f_(std::move(f)) {}
  void pre_tokenize(Pieces& pieces) const override { f_(pieces); }

 private:
  F f_;
};

template <class F>
std::unique_ptr<PreTokenizer> function(F f) {
  return std::make_unique<FunctionPreTokenizer<F>>(std::move(f));
}

void split_by_property(Pieces& pieces, uint32_t wanted, SplitBehavior behavior) {
  split_by(pieces, behavior, [wanted](const std::string& text) {
    return parts_by_character(text, [wanted](char32_t c) { return has(c, wanted); });
  });
}

std::unique_ptr<PreTokenizer> by_property(uint32_t wanted, SplitBehavior behavior) {
  return function([=](Pieces& pieces) { split_by_property(pieces, wanted, behavior); });
}

// \w+|[^\w\s]+
std::vector<Part> words_and_signs(const std::string& text) {
  std::vector<Range> runs;
  uint32_t previous = whitespace;  // the kind of the last character
  for_each_character(text, [&](char32_t c, size_t begin, size_t size) {
    const uint32_t kind = has(c, word) ? word : has(c, whitespace) ? whitespace : punctuation;
    const auto end = static_cast<uint32_t>(begin + size);
    if (kind != whitespace) {
      if (kind == previous) {
        runs.back().end = end;
      } else {
        runs.push_back({static_cast<uint32_t>(begin), end});
      }
    }
    previous = kind;
  });
  std::vector<Part> parts = parts_of_matches(text, runs);
  for (Part& part : parts) part.matches = !part.matches;
  return parts;
}

SplitBehavior behavior_of(const JsonView& json) {
  const std::string name = json.string();
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  json.raise_not("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

std::unique_ptr<PreTokenizer> by_pattern(const JsonView& json) {
  const bool invert = json.at("invert").boolean();
  return function([invert, behavior = behavior_of(json.at("behavior")),
                   pattern = pattern_from(json.at("pattern"))](Pieces& pieces) {
    size_t bytes = 0;
    for (const Piece& piece : pieces) bytes += piece.text.get().size();
    const SearchTime time(bytes);
    split_by(pieces, behavior, [&](const std::string& text) {
      std::vector<Part> parts = parts_of_matches(text, pattern->find_all(text));
      for (Part& part : parts) part.matches ^= invert;
      return parts;
    });
  });
}

std::unique_ptr<PreTokenizer> by_length(const JsonView& json) {
  const int64_t length = json.integer_or("length", 5);
  if (length < 1) json.raise_not("a length of at least 1");
  return function([length](Pieces& pieces) {
    split_by(pieces, SplitBehavior::isolated, [length](const std::string& text) {
      std::vector<Part> parts;
      int64_t characters = 0;
      for_each_character(text, [&](char32_t, size_t begin, size_t size) {
        const auto end = static_cast<uint32_t>(begin + size);
        if (characters++ % length == 0) {
          parts.push_back({{static_cast<uint32_t>(begin), end}, true});
        } else {
          parts.back().range.end = end;
        }
      });
      return parts;
    });
  });
}

}  // namespace

void bert_pre_tokenize(Pieces& pieces) {
  split_by_property(pieces, whitespace, SplitBehavior::removed);
  split_by_property(pieces, punctuation, SplitBehavior::isolated);
}

std::unique_ptr<PreTokenizer> make_simple_pre_tokenizer(const std::string& type,
                                                        const JsonView& json) {
  if (type == "BertPreTokenizer") return function(bert_pre_tokenize);
  if (type == "WhitespaceSplit") return by_property(whitespace, SplitBehavior::removed);
  if (type == "Punctuation") {
    return by_property(punctuation, json.has("behavior") ? behavior_of(json.at("behavior"))
                                                         : SplitBehavior::isolated);
  }
  if (type == "Digits") {
    return by_property(numeric, json.at("individual_digits").boolean() ? SplitBehavior::isolated
                                                                       : SplitBehavior::contiguous);
  }
  if (type == "Whitespace") {
    return function(
        [](Pieces& pieces) { split_by(pieces, SplitBehavior::removed, words_and_signs); });
  }
  if (type == "CharDelimiterSplit") {
    const char32_t delimiter = json.at("delimiter").character();
    return function([delimiter](Pieces& pieces) {
      split_by(pieces, SplitBehavior::removed, [delimiter](const std::string& text) {
        return parts_by_character(text, [delimiter](char32_t c) { return c == delimiter; });
      });
    });
  }
  if (type == "Split") return by_pattern(json);
  if (type == "FixedLength") return by_length(json);
  return nullptr;
}

}  // namespace text
}  // namespace systolic::inline v0
