// A SentencePiece model (sentencepiece_model.proto), and the tokenizer.json that it becomes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/text/special_tokens.h"

namespace systolic::inline v0 {
namespace text {

enum PieceType : uint64_t { normal = 1, unknown = 2, control = 3, user_defined = 4 };

struct ScoredPiece {
  std::string text;
  float score = 0;
  uint64_t type = normal;
};

struct SentencePieceModel {
  std::vector<ScoredPiece> pieces;
  uint64_t model_type = 1;  // 1: Unigram, 2: BPE
  uint64_t unk_id = 0;
  bool byte_fallback = false;
  std::string_view character_map;
  bool add_dummy_prefix = true;
  std::string name;             // the path of the file
  size_t most_merge_bytes = 0;  // see merges_of
};

// {"type":"Precompiled"...}, a normalizer; "" where the model has none.
std::string precompiled_json(const SentencePieceModel& model);
// [["piece",-1.5],...]
std::string scores_json(const std::vector<ScoredPiece>& pieces);

// Which of these classes has such a file, by its name and its special pieces; "" where none has.
std::string sentence_piece_class(const SentencePieceModel& model);

// The tokenizer.json that `transformers` makes of the model for one of its classes; "" where the
// class is none of XLMRobertaTokenizer, AlbertTokenizer, XLNetTokenizer, BigBirdTokenizer
// and DebertaV2Tokenizer.
std::string sentence_piece_class_json(const SentencePieceModel& model, const OlderFolder& folder);

}  // namespace text
}  // namespace systolic::inline v0
