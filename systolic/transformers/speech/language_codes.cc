#include "systolic/transformers/speech/language_codes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace systolic::inline v0 {
namespace {

using LanguageRow = std::pair<std::string_view, std::string_view>;

// English names, in order, and their codes of ISO 639. jw is an old one, which Whisper has.
// clang-format off
constexpr LanguageRow language_rows[] = {
    {"afrikaans", "af"}, {"albanian", "sq"}, {"amharic", "am"}, {"arabic", "ar"},
    {"armenian", "hy"}, {"assamese", "as"}, {"azerbaijani", "az"}, {"bashkir", "ba"},
    {"basque", "eu"}, {"belarusian", "be"}, {"bengali", "bn"}, {"bosnian", "bs"},
    {"breton", "br"}, {"bulgarian", "bg"}, {"burmese", "my"}, {"cantonese", "yue"},
    {"castilian", "es"}, {"catalan", "ca"}, {"chinese", "zh"}, {"croatian", "hr"},
    {"czech", "cs"}, {"danish", "da"}, {"dutch", "nl"}, {"english", "en"}, {"estonian", "et"},
    {"faroese", "fo"}, {"finnish", "fi"}, {"flemish", "nl"}, {"french", "fr"},
    {"galician", "gl"}, {"georgian", "ka"}, {"german", "de"}, {"greek", "el"},
    {"gujarati", "gu"}, {"haitian", "ht"}, {"haitian creole", "ht"}, {"hausa", "ha"},
    {"hawaiian", "haw"}, {"hebrew", "he"}, {"hindi", "hi"}, {"hungarian", "hu"},
    {"icelandic", "is"}, {"indonesian", "id"}, {"italian", "it"}, {"japanese", "ja"},
    {"javanese", "jw"}, {"kannada", "kn"}, {"kazakh", "kk"}, {"khmer", "km"}, {"korean", "ko"},
    {"lao", "lo"}, {"latin", "la"}, {"latvian", "lv"}, {"letzeburgesch", "lb"},
    {"lingala", "ln"}, {"lithuanian", "lt"}, {"luxembourgish", "lb"}, {"macedonian", "mk"},
    {"malagasy", "mg"}, {"malay", "ms"}, {"malayalam", "ml"}, {"maltese", "mt"},
    {"mandarin", "zh"}, {"maori", "mi"}, {"marathi", "mr"}, {"moldavian", "ro"},
    {"moldovan", "ro"}, {"mongolian", "mn"}, {"myanmar", "my"}, {"nepali", "ne"},
    {"norwegian", "no"}, {"nynorsk", "nn"}, {"occitan", "oc"}, {"panjabi", "pa"},
    {"pashto", "ps"}, {"persian", "fa"}, {"polish", "pl"}, {"portuguese", "pt"},
    {"punjabi", "pa"}, {"pushto", "ps"}, {"romanian", "ro"}, {"russian", "ru"},
    {"sanskrit", "sa"}, {"serbian", "sr"}, {"shona", "sn"}, {"sindhi", "sd"}, {"sinhala", "si"},
    {"sinhalese", "si"}, {"slovak", "sk"}, {"slovenian", "sl"}, {"somali", "so"},
    {"spanish", "es"}, {"sundanese", "su"}, {"swahili", "sw"}, {"swedish", "sv"},
    {"tagalog", "tl"}, {"tajik", "tg"}, {"tamil", "ta"}, {"tatar", "tt"}, {"telugu", "te"},
    {"thai", "th"}, {"tibetan", "bo"}, {"turkish", "tr"}, {"turkmen", "tk"}, {"ukrainian", "uk"},
    {"urdu", "ur"}, {"uzbek", "uz"}, {"valencian", "ca"}, {"vietnamese", "vi"}, {"welsh", "cy"},
    {"yiddish", "yi"}, {"yoruba", "yo"},
};
// clang-format on

}  // namespace

std::optional<std::string> language_code(std::string_view language) {
  const auto is_it = [&](const LanguageRow& row) {
    return row.first == language || row.second == language;
  };
  const auto found = std::find_if(std::begin(language_rows), std::end(language_rows), is_it);
  return found == std::end(language_rows) ? std::nullopt
                                          : std::optional(std::string(found->second));
}

}  // namespace systolic::inline v0
