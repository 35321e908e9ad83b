#include "systolic/text/pretokenizers/byte_level.h"

#include "systolic/text/normalizers/make.h"
#include "systolic/text/patterns/known_patterns.h"
#include "systolic/text/pretokenizers/make.h"

namespace systolic::inline v0 {
namespace text {

ByteLevel::ByteLevel(const JsonView& json)
    : add_prefix_space(json.at("add_prefix_space").boolean()),
      use_regex(json.boolean_or("use_regex", true)) {}

void ByteLevel::pre_tokenize(Pieces& pieces) const {
  split_pieces(pieces, [&](NormalizedText& text) {
    std::vector<NormalizedText> parts;
    if (add_prefix_space && !text.get().starts_with(' ')) text.prepend(" ");
    if (!use_regex) {
      parts.push_back(std::move(text));
      return parts;
    }
    for (size_t at = 0; at < text.size();) {
      const size_t end = gpt2_match(text.get(), at);
      parts.push_back(text.slice({static_cast<uint32_t>(at), static_cast<uint32_t>(end)}));
      at = end;
    }
    return parts;
  });
  for (Piece& piece : pieces) {
    if (!piece.tokenized) to_byte_characters(piece.text);
  }
}

std::unique_ptr<PreTokenizer> make_byte_level(const JsonView& json) {
  return std::make_unique<ByteLevel>(json);
}

}  // namespace text
}  // namespace systolic::inline v0
