// A text on its way through normalizers and pre-tokenizers. It knows which bytes of the original
// each of its bytes comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/text/unicode/change.h"

namespace systolic::inline v0 {
namespace text {

// Bytes [begin, end) of a text.
struct Range {
  uint32_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

class NormalizedText {
 public:
  NormalizedText() = default;
  // `original` is valid UTF-8.
  explicit NormalizedText(std::string_view original);

  const std::string& get() const { return text_; }
  bool empty() const { return text_.empty(); }
  uint32_t size() const { return static_cast<uint32_t>(text_.size()); }
  // Where this part begins in the original.
  uint32_t original_begin() const { return original_begin_; }
  // The bytes of the whole original that `range` of this text comes from. An empty range has none:
  // it is moved by original_begin(). A range beyond this text stays as it is.
  Range original_range(Range range) const;

  // The whole text becomes `changes`, after its first `removed` characters were dropped.
  void transform(const Changes& changes, uint32_t removed = 0);
  // The text [0, first_size) becomes `changes`.
  void transform_front(uint32_t first_size, const Changes& changes);
  // Only characters for which keep(c) is true.
  template <class Keep>
  void filter(Keep&& keep);
  // Each character becomes map(c).
  template <class Map>
  void map(Map&& map);
  // An empty text stays as it is.
  void prepend(std::string_view prefix);
  void lower_case();
  void strip(bool left, bool right);
  // Each of `matches`, which are in order, becomes `content`, whose bytes come from where the last
  // byte of the match came from.
  void replace(const std::vector<Range>& matches, std::string_view content);

  // Begins and ends in the original where its own first and last bytes come from.
  void crop_original();
  // The part `range`, on character boundaries.
  NormalizedText slice(Range range) const;

 private:
  // What a change of the whole text replaces: it begins after the part that comes from nowhere.
  Range whole() const;
  // Raises where normalizers make a text grow without end.
  void check_growth(size_t size) const;
  void transform_range(Range range, const Changes& changes, uint32_t removed);

  std::string text_;
  std::vector<Range> origin_;  // of each byte of text_, in bytes of the whole original
  uint32_t original_begin_ = 0, original_size_ = 0;
};

}  // namespace text
}  // namespace systolic::inline v0

#include "systolic/text/pieces/normalized_text_inl.h"
