// Normalizers of a few lines each.
#include <vector>

#include "systolic/text/normalizers/make.h"
#include "systolic/text/patterns/regex.h"
#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/unicode/normalization.h"
#include "systolic/text/unicode/properties.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// Calls a function.
template <class F>
class FunctionNormalizer : public Normalizer {
 public:
  explicit FunctionNormalizer(F f) : f_(std::move(f)) {}
  void normalize(NormalizedText& text) const override { f_(text); }

 private:
  F f_;
};

template <class F>
std::unique_ptr<Normalizer> function(F f) {
  return std::make_unique<FunctionNormalizer<F>>(std::move(f));
}

std::unique_ptr<Normalizer> form(NormalizationForm form) {
  return function(
      [form](NormalizedText& text) { text.transform(normalization_changes(text.get(), form)); });
}

// What SentencePiece's nmt rules remove, and what they make a space.
bool nmt_removes(char32_t c) {
  return (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}
bool nmt_makes_space(char32_t c) {
  for (const char32_t space :
       {0x9, 0xA, 0xC, 0xD, 0x1680, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD}) {
    if (c == space) return true;
  }
  return c >= 0x200B && c <= 0x200F;
}

void nmt(NormalizedText& text) {
  text.filter([](char32_t c) { return !nmt_removes(c); });
  text.map([](char32_t c) { return nmt_makes_space(c) ? U' ' : c; });
}

std::unique_ptr<Normalizer> replace(const JsonView& json) {
  return function([pattern = pattern_from(json.at("pattern")),
                   content = json.at("content").string()](NormalizedText& text) {
    if (!text.empty()) text.replace(pattern->find_all(text.get()), content);
  });
}

}  // namespace

void to_byte_characters(NormalizedText& text) {
  Changes changes;
  changes.reserve(text.size());
  for (const char byte : text.get()) {
    changes.push_back(
        {byte_characters[static_cast<unsigned char>(byte)], is_continuation(byte) ? 1 : 0});
  }
  if (!changes.empty()) text.transform(changes);
}

std::unique_ptr<Normalizer> make_simple_normalizer(const std::string& type, const JsonView& json) {
  if (type == "NFC") return form(NormalizationForm::nfc);
  if (type == "NFD") return form(NormalizationForm::nfd);
  if (type == "NFKC") return form(NormalizationForm::nfkc);
  if (type == "NFKD") return form(NormalizationForm::nfkd);
  if (type == "Lowercase") return function([](NormalizedText& text) { text.lower_case(); });
  if (type == "Nmt") return function(nmt);
  if (type == "Replace") return replace(json);
  if (type == "ByteLevel") return function(to_byte_characters);
  if (type == "StripAccents") {
    return function([](NormalizedText& text) {
      text.filter([](char32_t c) { return !has(c, combining_mark); });
    });
  }
  if (type == "Strip") {
    const bool left = json.at("strip_left").boolean(), right = json.at("strip_right").boolean();
    return function([left, right](NormalizedText& text) { text.strip(left, right); });
  }
  if (type == "Prepend") {
    return function(
        [prefix = json.at("prepend").string()](NormalizedText& text) { text.prepend(prefix); });
  }
  return nullptr;
}

}  // namespace text
}  // namespace systolic::inline v0
