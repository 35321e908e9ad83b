// The pieces of a text between pre-tokenization and the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/text/pieces/normalized_text.h"

namespace systolic::inline v0 {
namespace text {

// A token of a model's vocabulary: `range` are bytes of the piece that it stands for.
struct Token {
  int32_t id = 0;
  Range range;
  std::string value = {};  // empty: the vocabulary's text of the id
};

struct Piece {
  NormalizedText text;
  std::vector<Token> tokens = {};
  bool tokenized = false;  // an added token: nothing further happens to it
};

using Pieces = std::vector<Piece>;

// What becomes of the parts that a pattern matches.
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// A part of a text, and whether it matches the pattern or lies between matches.
struct Part {
  Range range;
  bool matches;
};

// The ranges of the pieces; `parts` cover the text.
std::vector<Range> split_ranges(const std::vector<Part>& parts, SplitBehavior behavior);

// Replaces each piece that is no token by those that split(text) returns: a list of NormalizedText,
// whose empty entries are dropped.
template <class Split>
void split_pieces(Pieces& pieces, Split&& split) {
  Pieces result;
  result.reserve(pieces.size());
  for (Piece& piece : pieces) {
    if (piece.tokenized) {
      result.push_back(std::move(piece));
      continue;
    }
    for (NormalizedText& part : split(piece.text)) {
      if (!part.empty()) result.push_back({std::move(part)});
    }
  }
  pieces = std::move(result);
}

// Splits each piece where find_parts(text) says.
template <class FindParts>
void split_by(Pieces& pieces, SplitBehavior behavior, FindParts&& find_parts) {
  split_pieces(pieces, [&](const NormalizedText& text) {
    std::vector<NormalizedText> result;
    for (const Range& range : split_ranges(find_parts(text.get()), behavior)) {
      result.push_back(text.slice(range));
    }
    return result;
  });
}

// Parts of one character each where matches(c) is true, and the text between them.
template <class Matches>
std::vector<Part> parts_by_character(const std::string& text, Matches&& matches) {
  std::vector<Part> parts;
  uint32_t last = 0;
  for_each_character(text, [&](char32_t c, size_t begin, size_t size) {
    if (!matches(c)) return;
    const auto at = static_cast<uint32_t>(begin), end = static_cast<uint32_t>(begin + size);
    if (last < at) parts.push_back({{last, at}, false});
    parts.push_back({{at, end}, true});
    last = end;
  });
  if (last < text.size()) parts.push_back({{last, static_cast<uint32_t>(text.size())}, false});
  return parts;
}

// The same, with the parts between matches added.
std::vector<Part> parts_of_matches(const std::string& text, const std::vector<Range>& matches);

}  // namespace text
}  // namespace systolic::inline v0
