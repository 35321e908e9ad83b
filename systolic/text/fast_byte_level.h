// GPT-2's byte-level pre-tokenizer with BPE: pieces are bytes of the text itself, and the tokens of
// those seen before are looked up.
#pragma once

#include <string>
#include <vector>

#include "systolic/text/fast_path.h"
#include "systolic/text/models/bpe.h"
#include "systolic/text/pretokenizers/byte_level.h"

namespace systolic::inline v0 {
namespace text {

class FastByteLevel : public FastPath {
 public:
  // `byte_ids` are those of the model, which has them all.
  FastByteLevel(const ByteLevel& pre_tokenizer, const Bpe& model, const AddedTokens& added,
                std::vector<int32_t> byte_ids);
  bool run(std::string_view text, bool offsets, std::vector<FastToken>& tokens) const override;

 private:
  void split(std::string_view piece, std::vector<Bpe::Symbol>& symbols) const;

  bool add_prefix_space_;
  const Bpe& model_;
  const AddedTokens& added_;
  std::vector<int32_t> byte_ids_;
  uint64_t number_;  // of this object, among all that there were
};

}  // namespace text
}  // namespace systolic::inline v0
