#include "examples/common/sentences.h"

#include <algorithm>
#include <random>
#include <set>

namespace examples {
namespace {

using Random = std::mt19937_64;

struct Word {
  char part;  // d: determiner, a: adjective, n: noun, v: verb, p: preposition
  std::string text;
};

const std::string& one_of(const std::vector<std::string>& words, Random& random) {
  return words[random() % words.size()];
}

const std::string& word_of(char part, Random& random) {
  static const std::vector<std::string> determiners = {"the", "a", "this", "every", "her", "our"},
                                        adjectives = {"small", "old",  "green", "quiet",
                                                      "heavy", "lazy", "young", "strange"},
                                        nouns = {"dog",    "child",  "boat",   "teacher",
                                                 "garden", "window", "letter", "farmer",
                                                 "bird",   "river",  "ball",   "house"},
                                        verbs = {"saw",    "chased", "painted", "found",
                                                 "wanted", "lost",   "carried", "watched"},
                                        prepositions = {"near", "behind", "under", "with", "by"};
  switch (part) {
    case 'd':
      return one_of(determiners, random);
    case 'a':
      return one_of(adjectives, random);
    case 'n':
      return one_of(nouns, random);
    case 'v':
      return one_of(verbs, random);
    default:
      return one_of(prepositions, random);
  }
}

// sentence = phrase v phrase [p phrase], phrase = d [a] n.
std::string draw_parts(Random& random) {
  const auto phrase = [&] { return random() % 2 == 0 ? std::string("dn") : std::string("dan"); };
  std::string parts = phrase() + "v" + phrase();
  if (random() % 2 == 0) parts += "p" + phrase();
  return parts;
}

bool take(std::string_view& parts, char part) {
  if (parts.empty() || parts.front() != part) return false;
  parts.remove_prefix(1);
  return true;
}

bool take_phrase(std::string_view& parts) {
  if (!take(parts, 'd')) return false;
  take(parts, 'a');
  return take(parts, 'n');
}

bool is_sentence(std::string_view parts) {
  if (!take_phrase(parts) || !take(parts, 'v') || !take_phrase(parts)) return false;
  return parts.empty() || (take(parts, 'p') && take_phrase(parts) && parts.empty());
}

std::string parts_of(const std::vector<Word>& words) {
  std::string parts;
  for (const Word& word : words) parts += word.part;
  return parts;
}

std::string text_of(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text + " .";
}

}  // namespace

LabelledTexts draw_sentences(int64_t count, uint64_t seed) {
  Random random(seed);
  LabelledTexts drawn;
  std::set<std::string> known;
  while (static_cast<int64_t>(drawn.texts.size()) < count) {
    std::vector<Word> words;
    for (const char part : draw_parts(random)) words.push_back({part, word_of(part, random)});
    const auto label = static_cast<int32_t>(drawn.texts.size() % 2);
    while (label == 0 && is_sentence(parts_of(words)))
      std::swap(words[random() % words.size()], words[random() % words.size()]);
    std::string text = text_of(words);
    if (!known.insert(text).second) continue;
    drawn.texts.push_back(std::move(text));
    drawn.labels.push_back(label);
  }
  return drawn;
}

}  // namespace examples
