#include "systolic/monitor/crash/hide_secrets.h"

#include <algorithm>
#include <cctype>

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr std::string_view shown_instead = "...", ends_of_words = " \t\r\n\"'<>,;)";

size_t end_of_word(std::string_view text, size_t begin) {
  return std::min(text.find_first_of(ends_of_words, begin), text.size());
}

std::string address_without_secrets(std::string_view address) {
  const size_t query = address.find('?');
  std::string_view place = address.substr(0, query);
  std::string shown;
  if (const size_t user = place.substr(0, place.find('/')).rfind('@'); user < place.size()) {
    shown += shown_instead;
    place.remove_prefix(user);
  }
  shown += place;
  if (query < address.size()) (shown += '?') += shown_instead;
  return shown;
}

std::string without_addresses_secrets(std::string_view text) {
  constexpr std::string_view scheme = "://";
  std::string shown;
  for (;;) {
    const size_t at = text.find(scheme);
    if (at == std::string_view::npos) return shown.append(text);
    const size_t begin = at + scheme.size(), end = end_of_word(text, begin);
    shown.append(text.substr(0, begin));
    shown += address_without_secrets(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// Where it begins, whatever its case; npos where it does not.
size_t find_word(std::string_view text, std::string_view word, size_t from) {
  const auto same_letter = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                 word.begin(), word.end(), same_letter);
  return found == text.end() ? std::string_view::npos : static_cast<size_t>(found - text.begin());
}

// After a name: the begin of what is given to it by one of the signs, as in `=x`, `": "x"`; npos
// where nothing is.
size_t begin_of_value(std::string_view text, size_t at, std::string_view signs) {
  constexpr std::string_view between = " \"'";
  size_t sign = text.find_first_not_of("\"'", at);
  if (sign == text.npos || signs.find(text[sign]) == signs.npos) return text.npos;
  return text.find_first_not_of(between, sign + 1);
}

// Without the word that `begin_of(text, end of the marker)` finds.
template <class BeginOf>
std::string without_word(std::string text, std::string_view marker, const BeginOf& begin_of) {
  for (size_t from = 0;;) {
    const size_t found = find_word(text, marker, from);
    if (found == text.npos) return text;
    from = found + marker.size();
    const size_t begin = begin_of(text, from);
    if (begin == text.npos) continue;
    text.replace(begin, end_of_word(text, begin) - begin, shown_instead);
    from = begin;
  }
}

}  // namespace

std::string hide_secrets(std::string_view text) {
  std::string shown = without_addresses_secrets(text);
  for (const std::string_view marker : {"Bearer ", "Basic ", "hf_"}) {
    shown = without_word(std::move(shown), marker, [](const auto&, size_t at) { return at; });
  }
  for (const std::string_view name :
       {"token", "password", "passwd", "secret", "api_key", "access_key", "key"}) {
    const std::string_view signs = name == "key" ? "=" : "=:";  // "key: ..." may be no secret
    shown = without_word(std::move(shown), name, [&](const std::string& all, size_t at) {
      return begin_of_value(all, at, signs);
    });
  }
  return shown;
}

}  // namespace monitor
}  // namespace systolic::inline v0
