// Byte-level pre-tokenization: GPT-2's pieces, in the characters that stand for bytes.
#pragma once

#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

class ByteLevel : public PreTokenizer {
 public:
  explicit ByteLevel(const JsonView& json);
  void pre_tokenize(Pieces& pieces) const override;

  bool add_prefix_space, use_regex;
};

}  // namespace text
}  // namespace systolic::inline v0
