#include "systolic/text/scores/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "systolic/base/error.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace {

using Tokens = std::vector<std::string>;
using Runs = std::map<Tokens, int64_t>;

constexpr size_t orders = 4;

std::string replaced_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }
// ASCII's symbols, but not ' - . and the comma.
bool is_symbol(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

std::string apart(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (is_symbol(c)) result += ' ';
    result += c;
    if (is_symbol(c)) result += ' ';
  }
  return result;
}

// Between the two characters of each pair that `before` and `after` describe, left to right, each
// character in one pair at most; spaces around the one that stands apart.
template <class Before, class After>
std::string pairs_apart(const std::string& text, Before before, After after,
                        std::string_view around_first, std::string_view around_second) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && before(text[i]) && after(text[i + 1])) {
      result += around_first.substr(0, around_first.find('x'));
      result += text[i];
      result += around_first.substr(around_first.find('x') + 1);
      result += text[i + 1];
      result += around_second;
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

// As Python has it: four separators of ASCII are spaces, too.
bool is_space(char32_t c) { return text::has(c, text::whitespace) || (c >= 0x1C && c <= 0x1F); }

Tokens split_at_spaces(std::string_view text) {
  Tokens tokens;
  std::string token;
  for (size_t at = 0; at < text.size();) {
    const size_t size = text::utf8_size(static_cast<unsigned char>(text[at]));
    if (!is_space(text::character_at(text, at))) {
      token += text.substr(at, size);
    } else if (!token.empty()) {
      tokens.push_back(std::move(token));
      token.clear();
    }
    at += size;
  }
  if (!token.empty()) tokens.push_back(token);
  return tokens;
}

std::string without_last_spaces(std::string text) {
  for (size_t end = text.size(); end > 0 && is_space(text::character_before(text, end));)
    text.resize(end);
  return text;
}

std::string lower_case(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size(); at += text::utf8_size(static_cast<unsigned char>(text[at])))
    text::lower_case_of(text::character_at(text, at),
                        [&](char32_t c) { text::append_utf8(result, c); });
  return result;
}

Runs runs_of(const Tokens& tokens) {
  Runs runs;
  for (size_t n = 1; n <= orders; ++n) {
    for (size_t i = 0; i + n <= tokens.size(); ++i) {
      const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(i);
      ++runs[Tokens(begin, begin + static_cast<std::ptrdiff_t>(n))];
    }
  }
  return runs;
}

// The nearest in length; of two the shorter.
int64_t nearest_length(int64_t length, const std::vector<Tokens>& references) {
  int64_t best = -1;
  for (const Tokens& one : references) {
    const auto other = static_cast<int64_t>(one.size());
    const int64_t distance = std::abs(other - length), least = std::abs(best - length);
    if (best < 0 || distance < least || (distance == least && other < best)) best = other;
  }
  return best;
}

void add(BleuScore& score, const Tokens& translation, const std::vector<Tokens>& references) {
  const auto length = static_cast<int64_t>(translation.size());
  score.length += length;
  score.reference_length += nearest_length(length, references);
  Runs known;
  for (const Tokens& reference : references) {
    for (const auto& [run, count] : runs_of(reference)) {
      int64_t& most = known[run];
      most = std::max(most, count);
    }
  }
  for (const auto& [run, count] : runs_of(translation)) {
    score.totals[run.size() - 1] += count;
    const auto found = known.find(run);
    if (found != known.end()) score.counts[run.size() - 1] += std::min(count, found->second);
  }
}

void finish(BleuScore& score, bool effective_order) {
  if (score.length < score.reference_length) {
    score.brevity_penalty = score.length == 0
                                ? 0
                                : std::exp(1 - static_cast<double>(score.reference_length) /
                                                   static_cast<double>(score.length));
  }
  if (std::all_of(score.counts.begin(), score.counts.end(), [](int64_t n) { return n == 0; }))
    return;
  double smoothing = 1;
  size_t used = orders;
  for (size_t i = 0; i < orders && score.totals[i] > 0; ++i) {
    if (effective_order) used = i + 1;
    const auto total = static_cast<double>(score.totals[i]);
    if (score.counts[i] == 0) smoothing *= 2;
    score.precisions[i] = score.counts[i] == 0 ? 100 / (smoothing * total)
                                               : 100 * static_cast<double>(score.counts[i]) / total;
  }
  double logs = 0;
  for (size_t i = 0; i < used; ++i) {
    if (score.precisions[i] == 0) return;
    logs += std::log(score.precisions[i]);
  }
  score.score = score.brevity_penalty * std::exp(logs / static_cast<double>(used));
}

void check_texts(const std::vector<std::string>& translations,
                 const std::vector<std::vector<std::string>>& references, SourceLocation location) {
  const bool all_have = std::none_of(references.begin(), references.end(),
                                     [](const auto& some) { return some.empty(); });
  if (!translations.empty() && translations.size() == references.size() && all_have) return;
  raise<InvalidArgument>({.what = str("bleu of ", translations.size(), " translations and ",
                                      references.size(), " lists of references"),
                          .wanted = "a list for each, with one or more, and one at least",
                          .hint = "bleu({\"a translation\"}, {{\"its reference\", \"another\"}})",
                          .location = location});
}

}  // namespace

std::vector<std::string> tokens_13a(std::string_view given) {
  std::string text = text::lossy_utf8(given);
  text = replaced_all(replaced_all(replaced_all(text, "<skipped>", ""), "-\n", ""), "\n", " ");
  if (text.find('&') != std::string::npos) {
    text = replaced_all(replaced_all(text, "&quot;", "\""), "&amp;", "&");
    text = replaced_all(replaced_all(text, "&lt;", "<"), "&gt;", ">");
  }
  const auto no_digit = [](char c) { return !is_digit(c); };
  text = apart(" " + text + " ");
  text = pairs_apart(text, no_digit, is_stop, "x ", " ");
  text = pairs_apart(text, is_stop, no_digit, " x ", "");
  text = pairs_apart(
      text, is_digit, [](char c) { return c == '-'; }, "x ", " ");
  return split_at_spaces(text);
}

BleuScore bleu(const std::vector<std::string>& translations,
               const std::vector<std::vector<std::string>>& references, const BleuOptions& options,
               SourceLocation location) {
  check_texts(translations, references, location);
  const auto tokens = [&](const std::string& given) {
    const std::string text = without_last_spaces(text::lossy_utf8(given));
    return tokens_13a(options.lowercase ? lower_case(text) : text);
  };
  BleuScore score;
  for (size_t i = 0; i < translations.size(); ++i) {
    std::vector<Tokens> others;
    for (const std::string& reference : references[i]) others.push_back(tokens(reference));
    add(score, tokens(translations[i]), others);
  }
  finish(score, options.effective_order);
  return score;
}

}  // namespace systolic::inline v0
