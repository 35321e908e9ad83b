// BERT's normalizer and pre-tokenizer with WordPiece, for ASCII texts: lower-casing, splitting and
// matching in one pass over the bytes.
#pragma once

#include <array>
#include <string>

#include "systolic/text/fast_path.h"
#include "systolic/text/models/word_piece.h"
#include "systolic/text/normalizers/bert.h"

namespace systolic::inline v0 {
namespace text {

class FastBert : public FastPath {
 public:
  FastBert(const BertNormalizer& normalizer, const WordPiece& model, const AddedTokens& added);
  bool run(std::string_view text, bool offsets, std::vector<FastToken>& tokens) const override;

 private:
  enum Kind : uint8_t { in_word, space, sign, removed };
  bool normalize(std::string_view text, std::string& lower) const;
  void add_word(std::string_view word, uint32_t begin, int32_t number,
                std::vector<FastToken>& tokens) const;

  const WordPiece& model_;
  const AddedTokens& added_;
  bool lowercase_;
  std::array<Kind, 256> kinds_;
};

}  // namespace text
}  // namespace systolic::inline v0
