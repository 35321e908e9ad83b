#include "systolic/text/scores/squad.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>

#include "systolic/base/error.h"
#include "systolic/text/scores/python_text.h"

namespace systolic::inline v0 {
namespace {

using Words = std::vector<std::u32string>;

bool is_word_character(char32_t c) { return c == U'_' || text::is_python_alphanumeric(c); }

// re.sub(r"\b(a|an|the)\b", " ", text)
std::u32string without_articles(const std::u32string& text) {
  std::u32string result;
  for (size_t at = 0; at < text.size();) {
    if (!is_word_character(text[at])) {
      result += text[at++];
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::u32string word = text.substr(at, end - at);
    result += word == U"a" || word == U"an" || word == U"the" ? std::u32string(1, U' ') : word;
    at = end;
  }
  return result;
}

Words words_of(std::string_view answer) {
  std::u32string text = text::python_lower(answer);
  std::erase_if(text, text::is_ascii_punctuation);
  return text::python_split(without_articles(text));
}

double f1_of(const Words& prediction, const Words& truth) {
  std::map<std::u32string, int64_t> counts;
  for (const std::u32string& word : truth) ++counts[word];
  int64_t same = 0;
  for (const std::u32string& word : prediction) same += counts[word]-- > 0 ? 1 : 0;
  if (same == 0) return 0;
  const double precision = static_cast<double>(same) / static_cast<double>(prediction.size());
  const double recall = static_cast<double>(same) / static_cast<double>(truth.size());
  return 2 * precision * recall / (precision + recall);
}

struct Scored {
  double exact = 0, f1 = 0;
  bool has_answer = false;
  double no_answer_probability = 0;
  bool answered = false;  // by some text
};

// The nearest of the right answers. SQuAD 2 leaves those out that consist of articles and
// punctuation; without any other the question has none, and only an empty text is right.
Scored score_of(const SquadPrediction& prediction, const SquadReference& reference,
                bool version_2) {
  Scored scored{.has_answer = !reference.answers.empty(),
                .no_answer_probability = prediction.no_answer_probability,
                .answered = !prediction.text.empty()};
  const Words given = words_of(prediction.text);
  std::vector<Words> truths;
  for (const std::string& answer : reference.answers) {
    truths.push_back(words_of(answer));
    if (version_2 && truths.back().empty()) truths.pop_back();
  }
  if (truths.empty()) truths.emplace_back();
  for (const Words& truth : truths) {
    const bool equal = given == truth;
    const bool one_is_empty = given.empty() || truth.empty();
    scored.exact = std::max(scored.exact, equal ? 1.0 : 0.0);
    scored.f1 =
        std::max(scored.f1, version_2 && one_is_empty ? (equal ? 1.0 : 0.0) : f1_of(given, truth));
  }
  return scored;
}

using ById = std::unordered_map<std::string, const SquadPrediction*>;

ById by_id(const std::vector<SquadPrediction>& predictions) {
  ById found;
  for (const SquadPrediction& one : predictions) found[one.id] = &one;
  return found;
}

void check_not_empty(const std::vector<SquadReference>& references, SourceLocation location) {
  if (!references.empty()) return;
  raise<InvalidArgument>({.what = "the scores of no question",
                          .wanted = "a reference for each question",
                          .location = location});
}

void add_group(NamedScores& scores, const std::string& prefix, const std::vector<Scored>& all,
               const std::function<bool(const Scored&)>& counts) {
  double exact = 0, f1 = 0, total = 0;
  for (const Scored& one : all) {
    if (counts(one)) exact += one.exact, f1 += one.f1, ++total;
  }
  if (total == 0) return;
  scores.emplace_back(prefix + "exact", 100 * exact / total);
  scores.emplace_back(prefix + "f1", 100 * f1 / total);
  scores.emplace_back(prefix + "total", total);
}

// Those that have a reference, in the predictions' order and then by how sure they are.
std::vector<const Scored*> in_order_of(const std::vector<SquadPrediction>& predictions,
                                       const std::vector<SquadReference>& references,
                                       const std::vector<Scored>& scored) {
  std::unordered_map<std::string, const Scored*> left;
  for (size_t i = 0; i < references.size(); ++i) left[references[i].id] = &scored[i];
  std::vector<const Scored*> sorted;
  for (const SquadPrediction& prediction : predictions) {
    const auto found = left.find(prediction.id);
    if (found == left.end()) continue;
    sorted.push_back(found->second);
    left.erase(found);
  }
  std::ranges::stable_sort(sorted, [](const Scored* a, const Scored* b) {
    return a->no_answer_probability < b->no_answer_probability;
  });
  return sorted;
}

// As if all were unanswered at first; then one after the other is answered, the surest first.
void add_best(NamedScores& scores, const std::string& name,
              const std::vector<const Scored*>& sorted, double Scored::*score) {
  double sum = 0;
  for (const Scored* one : sorted) sum += one->has_answer ? 0 : 1;
  double best = sum, threshold = 0;
  for (const Scored* one : sorted) {
    sum += one->has_answer ? one->*score : one->answered ? -1 : 0;
    if (sum > best) best = sum, threshold = one->no_answer_probability;
  }
  scores.emplace_back("best_" + name, 100 * best / static_cast<double>(sorted.size()));
  scores.emplace_back("best_" + name + "_thresh", threshold);
}

}  // namespace

double squad_exact_match(std::string_view prediction, std::string_view truth) {
  return words_of(prediction) == words_of(truth) ? 1 : 0;
}

double squad_f1(std::string_view prediction, std::string_view truth) {
  return f1_of(words_of(prediction), words_of(truth));
}

NamedScores squad_scores(const std::vector<SquadPrediction>& predictions,
                         const std::vector<SquadReference>& references, SourceLocation location) {
  check_not_empty(references, location);
  const ById given = by_id(predictions);
  double exact = 0, f1 = 0;
  for (const SquadReference& reference : references) {
    if (reference.answers.empty()) {
      raise<InvalidArgument>(
          {.what = str("squad_scores: question '", reference.id, "' has no answer"),
           .wanted = "at least one, as in SQuAD 1",
           .hint = "squad_v2_scores",
           .location = location});
    }
    const auto found = given.find(reference.id);
    if (found == given.end()) continue;
    const Scored scored = score_of(*found->second, reference, false);
    exact += scored.exact, f1 += scored.f1;
  }
  const auto total = static_cast<double>(references.size());
  return {{"exact_match", 100 * exact / total}, {"f1", 100 * f1 / total}};
}

NamedScores squad_v2_scores(const std::vector<SquadPrediction>& predictions,
                            const std::vector<SquadReference>& references,
                            double no_answer_threshold, SourceLocation location) {
  check_not_empty(references, location);
  const ById given = by_id(predictions);
  std::vector<Scored> raw, all;
  for (const SquadReference& reference : references) {
    const auto found = given.find(reference.id);
    if (found == given.end()) {
      raise<InvalidArgument>({.what = str("squad_v2_scores: question '", reference.id, "'"),
                              .got = "no prediction",
                              .wanted = "one for each; an empty text says that there is no answer",
                              .location = location});
    }
    raw.push_back(score_of(*found->second, reference, true));
    all.push_back(raw.back());
    if (all.back().no_answer_probability > no_answer_threshold)
      all.back().exact = all.back().f1 = all.back().has_answer ? 0 : 1;
  }
  NamedScores scores;
  add_group(scores, "", all, [](const Scored&) { return true; });
  add_group(scores, "HasAns_", all, [](const Scored& one) { return one.has_answer; });
  add_group(scores, "NoAns_", all, [](const Scored& one) { return !one.has_answer; });
  const std::vector<const Scored*> sorted = in_order_of(predictions, references, raw);
  add_best(scores, "exact", sorted, &Scored::exact);
  add_best(scores, "f1", sorted, &Scored::f1);
  return scores;
}

}  // namespace systolic::inline v0
