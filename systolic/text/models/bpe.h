// Byte-pair encoding (Sennrich et al., arXiv 1508.07909): merges pairs of symbols, those of the
// lowest rank first, until no pair of the list is left.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/text/models/model.h"

namespace systolic::inline v0 {
namespace text {

// Pairs of ids, to the rank of their merge and what it makes. Open addressing: one load for most.
class MergeTable {
 public:
  struct Merge {
    uint32_t rank;
    int32_t id;
  };
  // The last of equal pairs counts.
  void insert(int32_t left, int32_t right, Merge merge);
  const Merge* find(int32_t left, int32_t right) const {
    if (slots_.empty()) return nullptr;
    const uint64_t key = key_of(left, right);
    for (size_t at = place_of(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.key == key) return &slot.merge;
      if (slot.key == free_key) return nullptr;
    }
  }
  size_t size() const { return size_; }
  // Pairs and merges by rank.
  struct Entry {
    int32_t left, right;
    Merge merge;
  };
  std::vector<Entry> entries() const;

 private:
  static constexpr uint64_t free_key = ~uint64_t{0};
  struct Slot {
    uint64_t key = free_key;
    Merge merge{};
  };
  static uint64_t key_of(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  size_t place_of(uint64_t key) const {
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> shift_) & (slots_.size() - 1);
  }
  std::vector<Slot> slots_;
  size_t size_ = 0;
  int shift_ = 0;
};

class Bpe : public Model {
 public:
  struct Config {
    std::optional<float> dropout = {};
    std::optional<std::string> unk_token = {};
    std::string continuing_subword_prefix = {};
    std::string end_of_word_suffix = {};
    bool fuse_unk = false, byte_fallback = false, ignore_merges = false;
  };
  using Merges = std::vector<std::pair<std::string, std::string>>;
  // DataLoss for a merge of, or to, tokens that the vocabulary lacks.
  Bpe(Vocabulary vocabulary, const Merges& merges, Config config);
  static std::unique_ptr<Bpe> from_json(const JsonView& json);

  std::string_view type() const override { return "BPE"; }
  void tokenize(std::string_view piece, std::vector<Token>& tokens) const override;
  std::string to_json() const override;

  // A token, and how many bytes of the piece it takes.
  struct Symbol {
    int32_t id;
    uint32_t size;
  };
  // Merges the symbols of a piece.
  void merge(std::vector<Symbol>& symbols) const;
  // The token of each byte's character; empty where one is missing or pieces are more than bytes.
  std::vector<int32_t> byte_ids() const;
  const Config& config() const { return config_; }

 private:
  void add_symbols(std::string_view piece, std::vector<Symbol>& symbols) const;
  bool add_bytes(std::string_view character, std::vector<Symbol>& symbols) const;
  void add_merge(const std::string& left, const std::string& right, uint32_t rank);

  Config config_;
  std::optional<int32_t> unknown_;
  std::vector<std::optional<int32_t>> byte_tokens_;  // "<0x00>" to "<0xFF>"
  MergeTable merges_;
};

}  // namespace text
}  // namespace systolic::inline v0
