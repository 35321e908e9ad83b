#include "systolic/text/scores/entities.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

struct Tag {
  char letter = 'O';
  std::string type = "_";
};

constexpr const char* any = "IOBESUL";
enum class Types { equal, different, all };
// Two tags that follow each other: letters of the first, letters of the second, and their types.
struct Pair {
  std::string_view before, here;
  Types types = Types::all;

  bool fits(const Tag& first, const Tag& second) const {
    const bool equal = first.type == second.type;
    return before.find(first.letter) != before.npos && here.find(second.letter) != here.npos &&
           (types == Types::all || (types == Types::equal) == equal);
  }
};

// Where an entity begins, goes on and has ended, by the two tags there.
struct Rules {
  std::string_view name, letters;
  std::vector<Pair> begins, continues, ends;
};

// As seqeval 1.2 has them, which leaves out an entity at whose end none of `ends` fits.
const Rules& rules_of(EntityScheme::Kind kind) {
  constexpr Types equal = Types::equal, different = Types::different;
  static const std::vector<Rules> all{
      {"IOB1",
       "IOB",
       {{"OB", "I"}, {"I", "I", different}, {"IB", "B", equal}},
       {{"BI", "I", equal}},
       {{"I", "I", different}, {"I", "OB"}, {"B", "O"}, {"B", "I", different}, {"B", "B", equal}}},
      {"IOB2", "IOB", {{any, "B"}}, {{"BI", "I", equal}}, {{"IB", "OB"}, {"IB", "I", different}}},
      {"IOE1",
       "IOE",
       {{"OE", "I"}, {"I", "I", different}, {"E", "E", equal}},
       {{"I", "IE", equal}},
       {{"I", "I", different}, {"I", "O"}, {"I", "E", different}, {"E", "IE", equal}}},
      {"IOE2", "IOE", {{"OE", "IE"}, {"I", "IE", different}}, {{"I", "IE", equal}}, {{"E", any}}},
      {"IOBES", "IOBES", {{any, "BS"}}, {{"BI", "IE", equal}}, {{"SE", any}}},
      {"BILOU", "BILOU", {{any, "BU"}}, {{"BI", "IL", equal}}, {{"UL", any}}},
  };
  return all[static_cast<size_t>(kind)];
}

void check_not_empty(const std::string& tag, SourceLocation location) {
  if (!tag.empty()) return;
  raise<InvalidArgument>(
      {.what = "an empty tag", .wanted = "\"O\", or a tag like \"B-PER\"", .location = location});
}

Tag strict_tag(const std::string& tag, const Rules& rules, SourceLocation location) {
  if (rules.letters.find(tag[0]) == rules.letters.npos) {
    raise<InvalidArgument>(
        {.what = str("the tag '", tag, "' in the scheme ", rules.name),
         .wanted = str("one that begins with one of the letters ", rules.letters),
         .location = location});
  }
  const size_t begin = tag.find_first_not_of('-', 1), end = tag.find_last_not_of('-') + 1;
  return {tag[0], begin == tag.npos ? "_" : tag.substr(begin, end - begin)};
}

bool fit(const std::vector<Pair>& pairs, const Tag& before, const Tag& here) {
  return std::ranges::any_of(pairs, [&](const Pair& one) { return one.fits(before, here); });
}

std::vector<EntitySpan> strict_spans(const std::vector<std::string>& given, const Rules& rules,
                                     SourceLocation location) {
  std::vector<Tag> tags(1);  // "O" before the first and after the last
  for (const std::string& tag : given) tags.push_back(strict_tag(tag, rules, location));
  tags.emplace_back();
  std::vector<EntitySpan> spans;
  for (size_t at = 1; at < tags.size();) {
    if (!fit(rules.begins, tags[at - 1], tags[at])) {
      ++at;
      continue;
    }
    size_t end = at + 1;
    while (fit(rules.continues, tags[end - 1], tags[end])) ++end;
    if (fit(rules.ends, tags[end - 1], tags[end]))
      spans.push_back({tags[at].type, static_cast<int64_t>(at) - 1, static_cast<int64_t>(end) - 1});
    at = end;
  }
  return spans;
}

// conlleval's reading, "B-PER" or "BPER".
Tag lenient_tag(const std::string& tag) {
  const size_t dash = tag.find('-', 1);
  const std::string type = tag.substr(dash == tag.npos ? 1 : dash + 1);
  return {tag[0], type.empty() ? "_" : type};
}

bool has_type(char letter) { return letter != 'O' && letter != '.'; }

bool ends_between(const Tag& before, const Tag& here) {
  const bool new_one = here.letter == 'B' || here.letter == 'S' || here.letter == 'O';
  return before.letter == 'E' || before.letter == 'S' ||
         ((before.letter == 'B' || before.letter == 'I') && new_one) ||
         (has_type(before.letter) && before.type != here.type);
}

bool begins_between(const Tag& before, const Tag& here) {
  const bool after_one = before.letter == 'E' || before.letter == 'S' || before.letter == 'O';
  return here.letter == 'B' || here.letter == 'S' ||
         ((here.letter == 'E' || here.letter == 'I') && after_one) ||
         (has_type(here.letter) && before.type != here.type);
}

std::vector<EntitySpan> lenient_spans(const std::vector<std::string>& given) {
  std::vector<EntitySpan> spans;
  Tag before{'O', ""};
  int64_t begin = 0;
  for (size_t at = 0; at <= given.size(); ++at) {
    const Tag here = at < given.size() ? lenient_tag(given[at]) : Tag{};
    const auto place = static_cast<int64_t>(at);
    if (ends_between(before, here)) spans.push_back({before.type, begin, place});
    if (begins_between(before, here)) begin = place;
    before = here;
  }
  return spans;
}

struct Counts {
  int64_t right = 0, predicted = 0, there = 0;
};

EntityScore score_of(const Counts& counts) {
  const auto share = [](int64_t part, int64_t all) {
    return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
  };
  EntityScore score{.precision = share(counts.right, counts.predicted),
                    .recall = share(counts.right, counts.there),
                    .number = counts.there};
  const double sum = score.precision + score.recall;
  if (sum > 0) score.f1 = 2 * score.precision * score.recall / sum;
  return score;
}

EntityScore average_of(const std::map<std::string, EntityScore>& types, bool weighted) {
  EntityScore mean;
  double weights = 0;
  for (const auto& [type, score] : types) {
    const double weight = weighted ? static_cast<double>(score.number) : 1;
    mean.precision += weight * score.precision, mean.recall += weight * score.recall;
    mean.f1 += weight * score.f1, mean.number += score.number;
    weights += weight;
  }
  if (weights == 0) return {};
  mean.precision /= weights, mean.recall /= weights, mean.f1 /= weights;
  return mean;
}

void check_sizes(size_t predictions, size_t references, const char* what, SourceLocation location) {
  if (predictions == references && references > 0) return;
  raise<InvalidArgument>({.what = str("entity_scores of ", predictions, " predicted ", what,
                                      " and ", references, " right ones"),
                          .wanted = "as many of each, and at least one",
                          .location = location});
}

}  // namespace

std::vector<EntitySpan> entity_spans(const std::vector<std::string>& tags,
                                     const EntityOptions& options, SourceLocation location) {
  for (const std::string& tag : tags) check_not_empty(tag, location);
  return options.strict ? strict_spans(tags, rules_of(options.scheme.kind()), location)
                        : lenient_spans(tags);
}

EntityScores entity_scores(const std::vector<std::vector<std::string>>& predictions,
                           const std::vector<std::vector<std::string>>& references,
                           const EntityOptions& options, SourceLocation location) {
  check_sizes(predictions.size(), references.size(), "sentences", location);
  std::map<std::string, Counts> counts;
  Counts all, tags;
  for (size_t i = 0; i < references.size(); ++i) {
    if (!references[i].empty() || !predictions[i].empty())
      check_sizes(predictions[i].size(), references[i].size(), "tags", location);
    tags.there += static_cast<int64_t>(references[i].size());
    for (size_t word = 0; word < references[i].size(); ++word)
      tags.right += predictions[i][word] == references[i][word] ? 1 : 0;
    const auto found = entity_spans(predictions[i], options, location);
    const auto wanted = entity_spans(references[i], options, location);
    const std::set<EntitySpan> right(wanted.begin(), wanted.end());
    for (const EntitySpan& one : wanted) ++counts[one.type].there, ++all.there;
    for (const EntitySpan& one : found) {
      const bool is_right = right.contains(one);
      Counts& of_type = counts[one.type];
      ++of_type.predicted, ++all.predicted;
      of_type.right += is_right ? 1 : 0, all.right += is_right ? 1 : 0;
    }
  }
  EntityScores scores{.overall = score_of(all)};
  for (const auto& [type, each] : counts) scores.types[type] = score_of(each);
  scores.macro_average = average_of(scores.types, false);
  scores.weighted_average = average_of(scores.types, true);
  if (tags.there > 0)
    scores.accuracy = static_cast<double>(tags.right) / static_cast<double>(tags.there);
  return scores;
}

}  // namespace systolic::inline v0
