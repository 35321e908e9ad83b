// SentencePiece's normalizer: a compiled map from character sequences to others. Its form: the
// size of a double-array trie in bytes (u32), the trie's units (u32), and the texts that its values
// point into, each ended by a NUL.
#include <optional>

#include "systolic/base/error.h"
#include "systolic/io/encoding/base64.h"
#include "systolic/text/normalizers/make.h"
#include "systolic/text/unicode/graphemes.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

uint32_t read_u32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

class Precompiled : public Normalizer {
 public:
  explicit Precompiled(const JsonView& json) {
    const auto bytes = io::from_base64(json.at("precompiled_charsmap").string());
    if (!bytes) json.at("precompiled_charsmap").raise_not("base64");
    if (bytes->size() < 4 || read_u32(*bytes, 0) > bytes->size() - 4) {
      json.at("precompiled_charsmap").raise_not("a trie that is whole");
    }
    const size_t size = read_u32(*bytes, 0) / 4;
    for (size_t i = 0; i < size; ++i) units_.push_back(read_u32(*bytes, 4 + 4 * i));
    texts_ = bytes->substr(4 + 4 * size);
    if (!is_valid_utf8(texts_)) json.at("precompiled_charsmap").raise_not("texts of UTF-8");
  }

  void normalize(NormalizedText& text) const override {
    Changes changes;
    bool changed = false;
    const std::string& all = text.get();
    const auto put = [&](std::string_view old, std::string_view mapped) {
      add(old, mapped, changes);
      changed = true;
    };
    for (size_t begin = 0; begin < all.size();) {
      const size_t end = grapheme_end(all, begin);
      const std::string_view grapheme(all.data() + begin, end - begin);
      begin = end;
      if (const auto mapped = grapheme.size() < 6 ? find(grapheme) : std::nullopt) {
        put(grapheme, *mapped);
        continue;
      }
      for_each_character(grapheme, [&](char32_t c, size_t at, size_t size) {
        if (const auto mapped = find(grapheme.substr(at, size))) {
          put(grapheme.substr(at, size), *mapped);
        } else {
          changes.push_back({c, 0});
        }
      });
    }
    if (changed) text.transform(changes);
  }

 private:
  // What the shortest prefix of `key` that the trie has becomes.
  std::optional<std::string_view> find(std::string_view key) const {
    if (units_.empty()) return std::nullopt;
    const auto offset_of = [](uint32_t unit) {
      return static_cast<size_t>(unit >> 10) << ((unit & 0x200) >> 6);
    };
    size_t at = offset_of(units_[0]);
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) break;
      at ^= byte;
      if (at >= units_.size() || (units_[at] & 0x800000FF) != byte) break;
      const uint32_t unit = units_[at];
      at ^= offset_of(unit);
      if ((unit & 0x100) != 0) {
        return at < units_.size() ? text_at(units_[at] & 0x7FFFFFFF) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<std::string_view> text_at(size_t begin) const {
    if (begin > texts_.size() || (begin < texts_.size() && is_continuation(texts_[begin]))) {
      return std::nullopt;
    }
    const size_t end = std::min(texts_.find('\0', begin), texts_.size());
    return std::string_view(texts_).substr(begin, end - begin);
  }

  // `old` becomes `mapped`. Surplus characters are new; missing ones go with the character before.
  static void add(std::string_view old, std::string_view mapped, Changes& changes) {
    const auto old_count = static_cast<int64_t>(count_characters(old));
    const auto count = static_cast<int64_t>(count_characters(mapped));
    for_each_character(mapped, [&](char32_t c, size_t, size_t) { changes.push_back({c, 0}); });
    for (int64_t i = old_count; i < count; ++i) {
      changes[changes.size() - 1 - static_cast<size_t>(i - old_count)].change = 1;
    }
    if (count < old_count && !changes.empty()) changes.back().change += count - old_count;
  }

  std::vector<uint32_t> units_;
  std::string texts_;
};

}  // namespace

std::unique_ptr<Normalizer> make_precompiled(const JsonView& json) {
  return std::make_unique<Precompiled>(json);
}

}  // namespace text
}  // namespace systolic::inline v0
