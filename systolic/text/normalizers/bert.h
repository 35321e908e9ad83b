// BERT's normalizer: cleans the text, puts spaces around ideographs, strips accents, lower-cases.
#pragma once

#include <optional>

#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

class BertNormalizer : public Normalizer {
 public:
  explicit BertNormalizer(const JsonView& json);
  void normalize(NormalizedText& text) const override;

  bool clean_text, handle_chinese_chars, lowercase, strip_accents;
};

}  // namespace text
}  // namespace systolic::inline v0
