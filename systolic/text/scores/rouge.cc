#include "systolic/text/scores/rouge.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/text/scores/porter_stemmer.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace {

using Tokens = std::vector<std::string>;

constexpr size_t most_pairs = size_t{1} << 28;

bool is_token_character(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9'); }

Tokens rouge_tokens(std::string_view given, const RougeOptions& options) {
  Tokens tokens;
  std::string token;
  const auto finish = [&] {
    constexpr size_t longest_without_stem = 3;
    if (options.use_stemmer && token.size() > longest_without_stem)
      token = text::porter_stem(token);
    if (!token.empty()) tokens.push_back(std::move(token));
    token.clear();
  };
  const std::string text = text::lossy_utf8(given);
  for (size_t at = 0; at < text.size(); at += text::utf8_size(static_cast<unsigned char>(text[at])))
    text::lower_case_of(text::character_at(text, at), [&](char32_t c) {
      is_token_character(c) ? token.push_back(static_cast<char>(c)) : finish();
    });
  finish();
  return tokens;
}

// Of `common` among `predicted` and among `wanted`.
RougeScore score_of(size_t common, size_t predicted, size_t wanted) {
  const auto part = [&](size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(common) / static_cast<double>(whole);
  };
  RougeScore score{.precision = part(predicted), .recall = part(wanted)};
  const double sum = score.precision + score.recall;
  if (sum > 0) score.fmeasure = 2 * score.precision * score.recall / sum;
  return score;
}

std::map<Tokens, size_t> counts_of(const Tokens& tokens, size_t n) {
  std::map<Tokens, size_t> counts;
  for (size_t i = 0; i + n <= tokens.size(); ++i)
    ++counts[Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                    tokens.begin() + static_cast<std::ptrdiff_t>(i + n))];
  return counts;
}

RougeScore by_runs(const Tokens& predicted, const Tokens& wanted, size_t n) {
  const auto found = counts_of(predicted, n), known = counts_of(wanted, n);
  size_t common = 0;
  for (const auto& [run, count] : known) {
    const auto place = found.find(run);
    if (place != found.end()) common += std::min(count, place->second);
  }
  const auto runs = [n](const Tokens& tokens) {
    return tokens.size() + 1 - std::min(n, tokens.size() + 1);
  };
  return score_of(common, runs(predicted), runs(wanted));
}

// Places in `wanted` of one longest sequence that `predicted` has in the same order: of several the
// one that rouge_score finds, from the end.
std::vector<size_t> longest_common(const Tokens& wanted, const Tokens& predicted) {
  const size_t rows = wanted.size(), columns = predicted.size();
  std::vector<uint32_t> lengths((rows + 1) * (columns + 1));
  const auto at = [&](size_t i, size_t j) -> uint32_t& { return lengths[i * (columns + 1) + j]; };
  for (size_t i = 1; i <= rows; ++i) {
    for (size_t j = 1; j <= columns; ++j) {
      at(i, j) = wanted[i - 1] == predicted[j - 1] ? at(i - 1, j - 1) + 1
                                                   : std::max(at(i - 1, j), at(i, j - 1));
    }
  }
  std::vector<size_t> places;
  for (size_t i = rows, j = columns; i > 0 && j > 0;) {
    if (wanted[i - 1] == predicted[j - 1]) {
      places.push_back(--i);
      --j;
    } else if (at(i, j - 1) > at(i - 1, j)) {
      --j;
    } else {
      --i;
    }
  }
  return places;
}

std::vector<Tokens> lines_of(std::string_view text, const RougeOptions& options) {
  std::vector<Tokens> lines;
  while (true) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) lines.push_back(rouge_tokens(line, options));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

using TokenCounts = std::map<std::string, size_t>;

TokenCounts counts_in(const std::vector<Tokens>& lines) {
  TokenCounts counts;
  for (const Tokens& line : lines)
    for (const std::string& token : line) ++counts[token];
  return counts;
}

size_t sum_of(const TokenCounts& counts) {
  size_t sum = 0;
  for (const auto& [token, count] : counts) sum += count;
  return sum;
}

// A token of a wanted line counts where it is in the longest sequence of the line with any
// predicted one, each as often as both texts have it.
RougeScore by_lines(std::string_view prediction, std::string_view reference,
                    const RougeOptions& options) {
  const std::vector<Tokens> predicted = lines_of(prediction, options),
                            wanted = lines_of(reference, options);
  TokenCounts left_there = counts_in(predicted), left_here = counts_in(wanted);
  const size_t predicted_tokens = sum_of(left_there), wanted_tokens = sum_of(left_here);
  size_t common = 0;
  for (const Tokens& line : wanted) {
    std::set<size_t> places;
    for (const Tokens& other : predicted)
      for (const size_t place : longest_common(line, other)) places.insert(place);
    for (const size_t place : places) {
      size_t &there = left_there[line[place]], &here = left_here[line[place]];
      if (there == 0 || here == 0) continue;
      ++common, --there, --here;
    }
  }
  return score_of(common, predicted_tokens, wanted_tokens);
}

void check_size(size_t predicted, size_t wanted, SourceLocation location) {
  if (predicted < most_pairs && wanted < most_pairs && (predicted + 1) * (wanted + 1) <= most_pairs)
    return;
  raise<InvalidArgument>({.what = str("rouge of ", predicted, " and ", wanted, " tokens"),
                          .wanted = "at most 2^28 pairs of them",
                          .hint = "score parts of the texts by themselves",
                          .location = location});
}

}  // namespace

RougeScores rouge(std::string_view prediction, std::string_view reference,
                  const RougeOptions& options, SourceLocation location) {
  const Tokens predicted = rouge_tokens(prediction, options),
               wanted = rouge_tokens(reference, options);
  check_size(predicted.size(), wanted.size(), location);
  return {
      .rouge1 = by_runs(predicted, wanted, 1),
      .rouge2 = by_runs(predicted, wanted, 2),
      .rougeL = score_of(longest_common(wanted, predicted).size(), predicted.size(), wanted.size()),
      .rougeLsum = by_lines(prediction, reference, options)};
}

RougeScores rouge(std::span<const std::string> predictions, std::span<const std::string> references,
                  const RougeOptions& options, SourceLocation location) {
  if (predictions.empty() || predictions.size() != references.size())
    raise<InvalidArgument>({.what = str("rouge of ", predictions.size(), " predictions and ",
                                        references.size(), " references"),
                            .wanted = "one reference for each, and one of each at least",
                            .location = location});
  constexpr RougeScore RougeScores::*kinds[] = {&RougeScores::rouge1, &RougeScores::rouge2,
                                                &RougeScores::rougeL, &RougeScores::rougeLsum};
  constexpr double RougeScore::*parts[] = {&RougeScore::precision, &RougeScore::recall,
                                           &RougeScore::fmeasure};
  RougeScores mean;
  for (size_t i = 0; i < predictions.size(); ++i) {
    const RougeScores one = rouge(predictions[i], references[i], options, location);
    for (const auto kind : kinds)
      for (const auto part : parts)
        mean.*kind.*part += one.*kind.*part / static_cast<double>(predictions.size());
  }
  return mean;
}

}  // namespace systolic::inline v0
