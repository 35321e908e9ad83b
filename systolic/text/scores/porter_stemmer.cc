#include "systolic/text/scores/porter_stemmer.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace text {
namespace {

bool is_vowel(char c) { return std::string_view("aeiou").find(c) != std::string_view::npos; }

// Whether each letter is a consonant: y is one at the beginning and after a vowel.
std::vector<bool> consonants(std::string_view word) {
  std::vector<bool> flags;
  for (size_t i = 0; i < word.size(); ++i)
    flags.push_back(word[i] == 'y' ? i == 0 || !flags[i - 1] : !is_vowel(word[i]));
  return flags;
}

// m of the paper: how often a consonant follows a vowel.
int64_t measure(std::string_view word) {
  const std::vector<bool> flags = consonants(word);
  int64_t count = 0;
  for (size_t i = 1; i < flags.size(); ++i) count += flags[i] && !flags[i - 1] ? 1 : 0;
  return count;
}

bool has_vowel(std::string_view word) {
  for (const bool consonant : consonants(word)) {
    if (!consonant) return true;
  }
  return false;
}

bool ends_with_consonant(std::string_view word) { return !word.empty() && consonants(word).back(); }

bool ends_with_double_consonant(std::string_view word) {
  const size_t size = word.size();
  return size >= 2 && word[size - 1] == word[size - 2] && ends_with_consonant(word);
}

// *o of the paper, consonant, vowel, consonant; nltk takes a vowel and a consonant alone, too.
bool ends_short(std::string_view word) {
  const std::vector<bool> flags = consonants(word);
  const size_t size = word.size();
  if (size == 2) return !flags[0] && flags[1];
  return size >= 3 && flags[size - 3] && !flags[size - 2] && flags[size - 1] &&
         std::string_view("wxy").find(word.back()) == std::string_view::npos;
}

struct Rule {
  std::string_view suffix, replacement;
};

// The first rule whose suffix the word has, where the stem's measure is above `least`; the word as
// it is where that is not so.
std::string with_rules(const std::string& word, std::span<const Rule> rules, int64_t least) {
  for (const Rule& rule : rules) {
    if (!word.ends_with(rule.suffix)) continue;
    const std::string stem = word.substr(0, word.size() - rule.suffix.size());
    return measure(stem) > least ? stem + std::string(rule.replacement) : word;
  }
  return word;
}

std::string plurals(const std::string& word) {
  constexpr Rule rules[] = {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}};
  if (word.ends_with("ies") && word.size() == 4) return word.substr(0, 3);
  return with_rules(word, rules, -1);
}

// After "ed" or "ing" was taken away.
std::string repaired(const std::string& stem) {
  if (stem.ends_with("at") || stem.ends_with("bl") || stem.ends_with("iz")) return stem + "e";
  if (ends_with_double_consonant(stem)) {
    const bool stays = std::string_view("lsz").find(stem.back()) != std::string_view::npos;
    return stays ? stem : stem.substr(0, stem.size() - 1);
  }
  return measure(stem) == 1 && ends_short(stem) ? stem + "e" : stem;
}

std::string participles(const std::string& word) {
  if (word.ends_with("ied")) return word.substr(0, word.size() - (word.size() == 4 ? 1 : 2));
  if (word.ends_with("eed")) {
    const std::string stem = word.substr(0, word.size() - 3);
    return measure(stem) > 0 ? stem + "ee" : word;
  }
  for (const std::string_view suffix : {"ed", "ing"}) {
    if (!word.ends_with(suffix)) continue;
    const std::string stem = word.substr(0, word.size() - suffix.size());
    if (has_vowel(stem)) return repaired(stem);
  }
  return word;
}

std::string final_y(const std::string& word) {
  if (!word.ends_with('y')) return word;
  const std::string stem = word.substr(0, word.size() - 1);
  return stem.size() > 1 && ends_with_consonant(stem) ? stem + "i" : word;
}

std::string double_suffixes(std::string word) {
  static constexpr Rule rules[] = {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},
                                   {"anci", "ance"},   {"izer", "ize"},    {"bli", "ble"},
                                   {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},
                                   {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
                                   {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"},
                                   {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
                                   {"iviti", "ive"},   {"biliti", "ble"},  {"fulli", "ful"}};
  const auto without = [&](size_t letters) { return word.substr(0, word.size() - letters); };
  while (word.ends_with("alli") && measure(without(4)) > 0) word = without(2);
  // nltk asks for the measure with the "l", too.
  if (word.ends_with("logi")) return measure(without(3)) > 0 ? without(1) : word;
  return with_rules(word, rules, 0);
}

std::string other_suffixes(const std::string& word) {
  static constexpr Rule rules[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                   {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
  return with_rules(word, rules, 0);
}

std::string last_suffixes(const std::string& word) {
  static constexpr Rule before[] = {{"al", ""},    {"ance", ""}, {"ence", ""}, {"er", ""},
                                    {"ic", ""},    {"able", ""}, {"ible", ""}, {"ant", ""},
                                    {"ement", ""}, {"ment", ""}, {"ent", ""}};
  static constexpr Rule after[] = {{"ou", ""},  {"ism", ""}, {"ate", ""}, {"iti", ""},
                                   {"ous", ""}, {"ive", ""}, {"ize", ""}};
  for (const Rule& rule : before) {
    if (word.ends_with(rule.suffix)) return with_rules(word, before, 1);
  }
  if (!word.ends_with("ion")) return with_rules(word, after, 1);
  const std::string stem = word.substr(0, word.size() - 3);
  const bool fits = measure(stem) > 1 && (stem.ends_with('s') || stem.ends_with('t'));
  return fits ? stem : word;
}

std::string final_letters(std::string word) {
  if (word.ends_with('e')) {
    const std::string stem = word.substr(0, word.size() - 1);
    const int64_t m = measure(stem);
    if (m > 1 || (m == 1 && !ends_short(stem))) word = stem;
  }
  const bool doubled = word.ends_with("ll");
  if (doubled && measure(word.substr(0, word.size() - 1)) > 1) word.pop_back();
  return word;
}

// Words that the rules would spoil.
std::string_view irregular(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"sky", "sky"},        {"skies", "sky"},        {"dying", "die"},
      {"lying", "lie"},      {"tying", "tie"},        {"news", "news"},
      {"innings", "inning"}, {"inning", "inning"},    {"outings", "outing"},
      {"outing", "outing"},  {"cannings", "canning"}, {"canning", "canning"},
      {"howe", "howe"},      {"proceed", "proceed"},  {"exceed", "exceed"},
      {"succeed", "succeed"}};
  for (const auto& [form, stem] : words) {
    if (form == word) return stem;
  }
  return {};
}

}  // namespace

std::string porter_stem(std::string_view word) {
  if (const std::string_view stem = irregular(word); !stem.empty()) return std::string(stem);
  if (word.size() <= 2) return std::string(word);
  std::string stem = final_y(participles(plurals(std::string(word))));
  stem = last_suffixes(other_suffixes(double_suffixes(std::move(stem))));
  return final_letters(std::move(stem));
}

}  // namespace text
}  // namespace systolic::inline v0
