#include "systolic/text/fast_byte_level.h"

#include <atomic>

#include "systolic/text/models/piece_cache.h"
#include "systolic/text/patterns/known_patterns.h"
#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

std::atomic<uint64_t> objects = 0;

// The number of the character that each byte belongs to.
void number_characters(std::string_view text, std::vector<uint32_t>& numbers) {
  numbers.clear();
  uint32_t next = 0;
  for (const char byte : text) {
    next += !is_continuation(byte);
    numbers.push_back(next - 1);
  }
}

// Replaces bytes by numbers of characters. `text` may begin with a space that the original lacks;
// it counts as part of the first character.
void to_characters(std::string_view text, bool added_space, std::span<FastToken> tokens) {
  static thread_local std::vector<uint32_t> numbers;
  const bool ascii = is_ascii(text);
  if (ascii && !added_space) return;
  if (!ascii) number_characters(text, numbers);
  const uint32_t shift = added_space ? 1 : 0;
  for (FastToken& token : tokens) {
    const uint32_t first = ascii ? token.begin : numbers[token.begin];
    const uint32_t last = ascii ? token.end - 1 : numbers[token.end - 1];
    token.begin = first < shift ? 0 : first - shift;
    token.end = (last < shift ? 0 : last - shift) + 1;
  }
}

}  // namespace

FastByteLevel::FastByteLevel(const ByteLevel& pre_tokenizer, const Bpe& model,
                             const AddedTokens& added, std::vector<int32_t> byte_ids)
    : add_prefix_space_(pre_tokenizer.add_prefix_space),
      model_(model),
      added_(added),
      byte_ids_(std::move(byte_ids)),
      number_(++objects) {}

void FastByteLevel::split(std::string_view piece, std::vector<Bpe::Symbol>& symbols) const {
  symbols.clear();
  if (model_.config().ignore_merges) {
    std::string characters;
    for (const char byte : piece) {
      append_utf8(characters, byte_characters[static_cast<unsigned char>(byte)]);
    }
    if (const auto id = model_.vocabulary().id_of(characters)) {
      symbols.push_back({*id, static_cast<uint32_t>(piece.size())});
      return;
    }
  }
  for (const char byte : piece) symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
  model_.merge(symbols);
}

bool FastByteLevel::run(std::string_view text, bool offsets, std::vector<FastToken>& tokens) const {
  if (added_.may_be_in(text) || !is_valid_utf8(text)) return false;
  static thread_local PieceCache cache;
  static thread_local std::vector<Bpe::Symbol> symbols;
  static thread_local std::string with_space;
  cache.use(number_);
  const bool add_space = add_prefix_space_ && !text.empty() && text[0] != ' ';
  if (add_space) {
    with_space.assign(" ").append(text);
    text = with_space;
  }
  const size_t before = tokens.size();
  int32_t word = 0;
  for (size_t at = 0; at < text.size(); ++word) {
    const size_t end = gpt2_match(text, at);
    const std::string_view piece = text.substr(at, end - at);
    const uint64_t hash = PieceCache::hash(piece);
    PieceCache::Symbols found;
    if (const auto* known = cache.find(piece, hash)) {
      found = *known;
    } else {
      split(piece, symbols);
      cache.insert(piece, hash, symbols);
      found = symbols;
    }
    auto begin = static_cast<uint32_t>(at);
    for (const auto& [id, size] : found) {
      tokens.push_back({id, begin, begin + size, word});
      begin += size;
    }
    at = end;
  }
  if (offsets) to_characters(text, add_space, std::span(tokens).subspan(before));
  return true;
}

}  // namespace text
}  // namespace systolic::inline v0
