#include "systolic/text/fast_path.h"

#include "systolic/text/fast_bert.h"
#include "systolic/text/fast_byte_level.h"

namespace systolic::inline v0 {
namespace text {

std::unique_ptr<FastPath> make_fast_path(const Normalizer* normalizer,
                                         const PreTokenizer* pre_tokenizer, const Model& model,
                                         const AddedTokens& added) {
  const auto* bert = dynamic_cast<const BertNormalizer*>(normalizer);
  const auto* word_piece = dynamic_cast<const WordPiece*>(&model);
  if (bert != nullptr && word_piece != nullptr && pre_tokenizer != nullptr &&
      pre_tokenizer->type == "BertPreTokenizer") {
    return std::make_unique<FastBert>(*bert, *word_piece, added);
  }
  const auto* bpe = dynamic_cast<const Bpe*>(&model);
  const auto* byte_level = dynamic_cast<const ByteLevel*>(pre_tokenizer);
  if (normalizer == nullptr && bpe != nullptr && byte_level != nullptr && byte_level->use_regex) {
    auto ids = bpe->byte_ids();
    if (!ids.empty()) {
      return std::make_unique<FastByteLevel>(*byte_level, *bpe, added, std::move(ids));
    }
  }
  return nullptr;
}

}  // namespace text
}  // namespace systolic::inline v0
