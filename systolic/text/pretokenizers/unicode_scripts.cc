// Splits where the script of a text changes: Latin, Greek, Han (with Kana). Spaces belong to any.
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "systolic/text/pretokenizers/make.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

struct Run {
  uint32_t first, script;
};
constexpr Run runs[] = {
#include "systolic/text/unicode/scripts.inc"
};
constexpr uint32_t any_script = 0;

uint32_t script_of(char32_t c) {
  if (c == ' ') return any_script;
  const auto after = std::upper_bound(std::begin(runs), std::end(runs), c,
                                      [](char32_t a, const Run& run) { return a < run.first; });
  return after == std::begin(runs) ? any_script : std::prev(after)->script;
}

class UnicodeScripts : public PreTokenizer {
 public:
  void pre_tokenize(Pieces& pieces) const override {
    split_pieces(pieces, [](const NormalizedText& text) {
      std::vector<uint32_t> begins;  // what stands before the first is dropped
      uint32_t last = any_script;
      for_each_character(text.get(), [&](char32_t c, size_t begin, size_t) {
        const uint32_t script = script_of(c);
        if (script == any_script) return;
        if (script != last) begins.push_back(static_cast<uint32_t>(begin));
        last = script;
      });
      begins.push_back(text.size());
      std::vector<NormalizedText> parts;
      for (size_t i = 0; i + 1 < begins.size(); ++i) {
        parts.push_back(text.slice({begins[i], begins[i + 1]}));
      }
      return parts;
    });
  }
};

}  // namespace

std::unique_ptr<PreTokenizer> make_unicode_scripts() { return std::make_unique<UnicodeScripts>(); }

}  // namespace text
}  // namespace systolic::inline v0
