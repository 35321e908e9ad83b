// A tokenizer's added tokens, and how they are found in a text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "systolic/text/added_token.h"
#include "systolic/text/models/model.h"
#include "systolic/text/patterns/aho_corasick.h"
#include "systolic/text/pieces/component.h"

namespace systolic::inline v0 {
namespace text {

class AddedTokens {
 public:
  // Adds tokens, or changes those of the same content. A token that the vocabulary has keeps its
  // id, others get ids after the existing ones. Returns how many are new or changed. Where one
  // cannot be added, none is.
  size_t add(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary,
             const Normalizer* normalizer);
  // For another normalizer.
  void refresh(const Normalizer* normalizer);

  std::optional<int32_t> id_of(std::string_view content) const;
  // What the id is decoded to.
  const std::string* text_of(int32_t id) const;
  bool is_special(std::string_view content) const;
  const std::map<int32_t, AddedToken>& by_id() const { return by_id_; }
  std::string to_json() const;

  // The pieces of a text: tokens that are looked for in the original are cut out, the text between
  // them is normalized, and tokens that are looked for in normalized text are cut out of that.
  Pieces pieces_of(std::string_view original, const Normalizer* normalizer) const;
  // Whether a token may be in `text`, normalized or not. A text for which this is false needs no
  // search.
  bool may_be_in(std::string_view text) const;
  bool any_normalized() const { return !normalized_.empty(); }

 private:
  struct Found {
    int32_t id;  // -1: the text between tokens
    Range range;
  };
  void check_addable(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary,
                     int64_t next_id) const;
  void make_finders();
  std::vector<Found> find(const std::string& text, const AhoCorasick& finder) const;
  void cut(Pieces& pieces, const AhoCorasick& finder, const Normalizer* normalizer) const;

  std::unordered_map<std::string, int32_t> ids_;
  std::map<int32_t, AddedToken> by_id_;
  std::unordered_set<std::string> special_;
  std::unordered_map<int32_t, std::string> normal_forms_;  // where they differ from the content
  AhoCorasick original_, normalized_;                      // by where they are looked for
};

}  // namespace text
}  // namespace systolic::inline v0
