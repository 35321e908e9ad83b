// SentencePiece's spaces: each becomes '▁', which a piece begins with.
#include <string>

#include "systolic/base/error.h"
#include "systolic/text/patterns/regex.h"
#include "systolic/text/pretokenizers/make.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

class Metaspace : public PreTokenizer {
 public:
  explicit Metaspace(const JsonView& json)
      : replacement_(to_utf8(std::u32string(1, json.at("replacement").character()))),
        scheme_(json.string_or("prepend_scheme", "always")),
        split_(json.boolean_or("split", true)) {
    if (scheme_ != "always" && scheme_ != "first" && scheme_ != "never") {
      json.at("prepend_scheme").raise_not("always, first or never");
    }
    if (!json.boolean_or("add_prefix_space", true)) {
      if (json.has("prepend_scheme") && scheme_ != "never") {
        json.raise_not("add_prefix_space and prepend_scheme that agree");
      }
      if (!json.has("prepend_scheme")) json.raise_not("a prepend_scheme of never");
    }
  }

  void pre_tokenize(Pieces& pieces) const override {
    split_pieces(pieces, [&](NormalizedText& text) {
      std::vector<NormalizedText> parts;
      text.replace(literal_pattern(" ")->find_all(text.get()), replacement_);
      const bool wanted = scheme_ == "always" || (scheme_ == "first" && text.original_begin() == 0);
      if (wanted && !text.get().starts_with(replacement_)) text.prepend(replacement_);
      if (!split_) {
        parts.push_back(std::move(text));
        return parts;
      }
      const auto found = literal_pattern(replacement_)->find_all(text.get());
      for (const Range& range :
           split_ranges(parts_of_matches(text.get(), found), SplitBehavior::merged_with_next)) {
        parts.push_back(text.slice(range));
      }
      return parts;
    });
  }

 private:
  std::string replacement_, scheme_;
  bool split_;
};

}  // namespace

std::unique_ptr<PreTokenizer> make_metaspace(const JsonView& json) {
  return std::make_unique<Metaspace>(json);
}

}  // namespace text
}  // namespace systolic::inline v0
