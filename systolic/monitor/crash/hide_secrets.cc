#include "systolic/monitor/crash/hide_secrets.h"

#include <algorithm>
#include <array>
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

std::string without_word_after(std::string text, std::string_view marker) {
  const auto same_letter = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  size_t from = 0;
  for (;;) {
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(),
                                   marker.begin(), marker.end(), same_letter);
    if (found == text.end()) return text;
    const size_t begin = static_cast<size_t>(found - text.begin()) + marker.size();
    text.replace(begin, end_of_word(text, begin) - begin, shown_instead);
    from = begin;
  }
}

}  // namespace

std::string hide_secrets(std::string_view text) {
  constexpr std::array<std::string_view, 5> markers{"Bearer ",
                                                    "token=", "key=", "password=", "secret="};
  std::string shown = without_addresses_secrets(text);
  for (const std::string_view marker : markers) {
    shown = without_word_after(std::move(shown), marker);
  }
  return shown;
}

}  // namespace monitor
}  // namespace systolic::inline v0
