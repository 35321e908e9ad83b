// What tokenizers are measured on, made once: English-like texts, and a byte-level BPE vocabulary
// of 30,000 that is trained on them.
//
//   tokenizer_inputs FOLDER     # writes sentences.txt, prose.txt and bpe.json there
//
// Words follow Zipf's law: the most frequent are English, the others made of syllables. The last
// line is JSON.
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/random_bits.h"
#include "systolic/io/files/file.h"
#include "systolic/text/tokenizer.h"

using namespace systolic;

namespace {

constexpr size_t sentence_count = 8551;  // as many as CoLA has
constexpr size_t prose_bytes = 10'000'000;
constexpr size_t word_count = 60'000;

constexpr std::string_view english =
    "the of and to in a is that for it as was with be by on not he his but at are this have from "
    "or "
    "had an they which one you were all her she there would their we him been has when who will no "
    "more if out so up said what its about than into them can only other time new some could these "
    "two may first then do any like my now over such our man me even most made after also did many "
    "off before must well back through years much where your way down should because long each "
    "just "
    "state those people too little world good very year still see own work men day get here "
    "between "
    "both life being under three never know same last another while us might great old come since "
    "go against right came take used himself few house use place during high without again home "
    "around small however found thought part school once general every upon say nothing water left";

class Words {
 public:
  Words() : words_(split(std::string(english), ' ')) {
    while (words_.size() < word_count) words_.push_back(made_up());
  }

  // A sentence of this many words.
  std::string sentence(size_t length) {
    std::string text;
    for (size_t i = 0; i < length; ++i) {
      if (i > 0) text += below(12) == 0 ? ", " : " ";
      text += below(60) == 0 ? std::to_string(below(3000)) : word();
      if (below(50) == 0) text += "'s";
    }
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text + (below(10) == 0 ? "?" : ".");
  }
  size_t below(size_t limit) { return static_cast<size_t>(next() % limit); }

 private:
  uint64_t next() { return splitmix64(state_ += splitmix64_step); }

  // The word of rank r comes with a frequency of about 1 / r.
  const std::string& word() {
    const double uniform = static_cast<double>(next() >> 11) * 0x1p-53;
    const double rank = std::exp(uniform * std::log(static_cast<double>(words_.size())));
    return words_[static_cast<size_t>(rank) - 1];
  }

  std::string made_up() {
    constexpr std::array<std::string_view, 20> onsets = {"b",  "c",  "d", "f", "g", "l", "m",
                                                         "n",  "p",  "r", "s", "t", "v", "st",
                                                         "tr", "pl", "k", "h", "w", "ch"};
    constexpr std::array<std::string_view, 10> vowels = {"a", "e", "i",  "o",  "u",
                                                         "e", "a", "ea", "ou", "io"};
    constexpr std::array<std::string_view, 10> codas = {"",  "",  "",  "n",  "r",
                                                        "s", "t", "l", "nd", "ng"};
    std::string text;
    for (size_t syllables = 1 + below(3); syllables > 0; --syllables) {
      text.append(onsets[below(onsets.size())]);
      text.append(vowels[below(vowels.size())]);
      text.append(codas[below(codas.size())]);
    }
    return text;
  }

  std::vector<std::string> words_;
  uint64_t state_ = 1;
};

std::vector<std::string> sentences(Words& words) {
  std::vector<std::string> result;
  while (result.size() < sentence_count) result.push_back(words.sentence(4 + words.below(9)));
  return result;
}

// Paragraphs of a few sentences.
std::vector<std::string> prose(Words& words) {
  std::vector<std::string> result;
  for (size_t bytes = 0; bytes < prose_bytes; bytes += result.back().size() + 1) {
    std::string paragraph = words.sentence(5 + words.below(25));
    for (size_t more = words.below(6); more > 0; --more) {
      paragraph += ' ' + words.sentence(5 + words.below(25));
    }
    result.push_back(std::move(paragraph));
  }
  return result;
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  text.pop_back();
  io::write_file(path, text);
}

Tokenizer trained(const std::vector<std::string>& texts) {
  Tokenizer tokenizer = Tokenizer::from_json(
      R"({"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true},)"
      R"("model":{"type":"BPE","vocab":{},"merges":[]}})");
  tokenizer.train(texts, {.vocab_size = 30000, .initial_alphabet = byte_level_alphabet()});
  return tokenizer;
}

int run(const std::string& folder) {
  const std::string last = folder + "/bpe.json";
  if (!io::exists(last)) {
    std::filesystem::create_directories(folder);
    Words words;
    write_lines(folder + "/sentences.txt", sentences(words));
    const std::vector<std::string> texts = prose(words);
    write_lines(folder + "/prose.txt", texts);
    trained(texts).save(last);
  }
  std::printf("{\"tokens\": %zu}\n", Tokenizer::from_file(last).vocab_size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    return run(argv[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
