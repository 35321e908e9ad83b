// Training of byte-pair encoding: the pair of symbols that is seen most often becomes a symbol,
// again and again (Sennrich et al., arXiv 1508.07909).
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/text/trainers/trainer.h"

namespace systolic::inline v0 {
namespace text {

class PairTrainer {
 public:
  // `prefix` is the one of symbols inside a word, "" for byte-pair encoding.
  PairTrainer(const PieceCounts& pieces, const TrainOptions& options, std::string prefix);
  void run();

  Vocabulary vocabulary() const;
  std::vector<std::pair<std::string, std::string>> merges() const;

 private:
  using Pair = std::pair<int32_t, int32_t>;
  struct PairHash {
    size_t operator()(const Pair& pair) const {
      return (uint64_t{static_cast<uint32_t>(pair.first)} << 32 |
              static_cast<uint32_t>(pair.second)) *
             0x9E3779B97F4A7C15u;
    }
  };
  struct Symbol {
    int32_t id;
    uint64_t length;
  };
  struct Word {
    std::vector<Symbol> symbols;
    uint64_t count;
  };
  // A pair that may be merged in some words; its count may have changed since.
  struct Candidate {
    int64_t count;
    Pair pair;
    std::vector<uint32_t> words;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };
  using Places = std::unordered_map<Pair, std::vector<uint32_t>, PairHash>;

  int32_t add(const std::string& token);
  void add_alphabet(const PieceCounts& pieces);
  void add_words(const PieceCounts& pieces);
  void count(const Pair& pair, int64_t change, uint32_t word, Places& places);
  void merge_in(uint32_t word, const Pair& pair, int32_t merged, Places& places);
  void queue(Places places);

  const TrainOptions& options_;
  std::string prefix_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Word> words_;
  std::unordered_map<Pair, int64_t, PairHash> counts_;
  std::priority_queue<Candidate> queue_;
  std::vector<Pair> merges_;
};

}  // namespace text
}  // namespace systolic::inline v0
