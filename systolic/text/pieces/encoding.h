// What a tokenizer makes of a text, or of a pair of texts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// Characters [begin, end) of a text, counted as Python counts them: in code points.
struct Offsets {
  uint32_t begin = 0, end = 0;
  bool operator==(const Offsets&) const = default;
};

// One entry a token in each list. But where the tokenizer was asked for ids only, `tokens`,
// `offsets` and `word_ids` are empty.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;
  std::vector<std::string> tokens;
  std::vector<Offsets> offsets;
  std::vector<int32_t> word_ids;  // -1: of no word
  std::vector<int32_t> special_tokens_mask;
  std::vector<int32_t> attention_mask;
  // The parts that truncation cut off, each as long as this one may be.
  std::vector<Encoding> overflowing;
  // Which tokens belong to the first text and which to the second.
  std::array<std::optional<Offsets>, 2> sequences;

  size_t size() const { return ids.size(); }
  // Which text each token belongs to: 0, 1, or -1 for none.
  std::vector<int32_t> sequence_ids() const;
  // The first token that covers the character, or -1. FailedPrecondition without offsets: a call
  // gives them by {.return_offsets_mapping = true}.
  int64_t char_to_token(uint32_t character, int sequence = 0,
                        SourceLocation location = SourceLocation::current()) const;

  void set_sequence(int sequence);
  void set_type_ids(int32_t type_id) { type_ids.assign(ids.size(), type_id); }
  // Appends `next`; the parts that were cut off are combined, each with each.
  void append(const Encoding& next);
  // Keeps `length` tokens at the beginning (or, from_left, at the end). The others become
  // `overflowing`, parts of `length` tokens that share `stride` of them with the part before, or
  // are dropped.
  void truncate(size_t length, size_t stride, bool from_left, bool keep_others = true);
  struct Padding {
    size_t length;
    int32_t id, type_id;
    std::string token;
    bool left;
  };
  void pad(const Padding& padding);
};

}  // namespace systolic::inline v0
