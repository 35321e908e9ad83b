// The tokens of pieces that were seen before. For one thread; its size is bounded.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "systolic/text/models/bpe.h"

namespace systolic::inline v0 {
namespace text {

class PieceCache {
 public:
  static constexpr size_t most_bytes = 48;        // of a piece
  static constexpr size_t most_pieces = 1 << 17;  // then all are forgotten
  using Symbols = std::span<const Bpe::Symbol>;

  // Forgets what another model gave.
  void use(uint64_t owner) {
    if (owner_ == owner) return;
    owner_ = owner;
    clear();
  }

  static uint64_t hash(std::string_view piece) {
    uint64_t value = piece.size() * 0x9E3779B97F4A7C15u;
    const char* at = piece.data();
    size_t left = piece.size();
    for (; left >= 8; left -= 8, at += 8) value = mix(value ^ load(at, 8));
    if (left > 0) value = mix(value ^ load(at, left));
    return value;
  }

  // nullptr for a piece that is not known.
  const Symbols* find(std::string_view piece, uint64_t hash) {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.count == 0) return nullptr;
      if (slot.hash == hash && slot.size == piece.size() &&
          std::memcmp(bytes_.data() + slot.bytes, piece.data(), piece.size()) == 0) {
        found_ = Symbols(symbols_.data() + slot.first, slot.count);
        return &found_;
      }
    }
  }

  void insert(std::string_view piece, uint64_t hash, Symbols symbols) {
    if (piece.size() > most_bytes || symbols.empty()) return;
    if (pieces_ >= most_pieces) clear();
    size_t at = hash & mask_;
    while (slots_[at].count != 0) at = (at + 1) & mask_;
    slots_[at] = {hash, static_cast<uint32_t>(bytes_.size()),
                  static_cast<uint32_t>(symbols_.size()), static_cast<uint16_t>(piece.size()),
                  static_cast<uint16_t>(symbols.size())};
    bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    symbols_.insert(symbols_.end(), symbols.begin(), symbols.end());
    ++pieces_;
  }

 private:
  struct Slot {
    uint64_t hash;
    uint32_t bytes, first;
    uint16_t size, count;  // count == 0: free
  };
  static uint64_t load(const char* at, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, at, size);
    return value;
  }
  static uint64_t mix(uint64_t value) {
    value *= 0xD6E8FEB86659FD93u;
    return value ^ value >> 32;
  }
  void clear() {
    slots_.assign(2 * most_pieces, Slot{});
    bytes_.clear();
    symbols_.clear();
    pieces_ = 0;
  }

  static constexpr size_t mask_ = 2 * most_pieces - 1;
  uint64_t owner_ = 0;
  size_t pieces_ = 0;
  std::vector<Slot> slots_;
  std::vector<char> bytes_;
  std::vector<Bpe::Symbol> symbols_;
  Symbols found_;
};

}  // namespace text
}  // namespace systolic::inline v0
