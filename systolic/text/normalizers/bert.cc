#include "systolic/text/normalizers/bert.h"

#include "systolic/text/unicode/normalization.h"
#include "systolic/text/unicode/properties.h"

namespace systolic::inline v0 {
namespace text {

BertNormalizer::BertNormalizer(const JsonView& json)
    : clean_text(json.at("clean_text").boolean()),
      handle_chinese_chars(json.at("handle_chinese_chars").boolean()),
      lowercase(json.at("lowercase").boolean()),
      strip_accents(json.boolean_or("strip_accents", lowercase)) {}

void BertNormalizer::normalize(NormalizedText& text) const {
  if (clean_text) {
    text.filter([](char32_t c) { return !has(c, bert_removed); });
    text.map([](char32_t c) { return has(c, whitespace) ? U' ' : c; });
  }
  if (handle_chinese_chars) {
    Changes changes;
    for_each_character(text.get(), [&](char32_t c, size_t, size_t) {
      if (!has(c, bert_ideograph)) {
        changes.push_back({c, 0});
        return;
      }
      changes.push_back({U' ', 0});
      changes.push_back({c, 1});
      changes.push_back({U' ', 1});
    });
    text.transform(changes);
  }
  if (strip_accents) {
    text.transform(normalization_changes(text.get(), NormalizationForm::nfd));
    text.filter([](char32_t c) { return !has(c, nonspacing_mark); });
  }
  if (lowercase) text.lower_case();
}

}  // namespace text
}  // namespace systolic::inline v0
