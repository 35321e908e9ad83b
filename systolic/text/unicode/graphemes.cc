#include "systolic/text/unicode/graphemes.h"

#include <cstdint>
#include <iterator>
#include <vector>

#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// The property Grapheme_Cluster_Break; consonants are those of Indic_Conjunct_Break.
enum Kind : uint8_t {
  any,
  cr,
  lf,
  control,
  extend,
  joiner,
  regional,
  prepend,
  spacing,
  hangul_l,
  hangul_v,
  hangul_t,
  hangul_lv,
  hangul_lvt,
  pictograph,
  consonant,
};
constexpr uint8_t conjunct_extend = 0x20, conjunct_linker = 0x40;

struct Run {
  uint32_t first, kind;
};
constexpr Run runs[] = {
#include "systolic/text/unicode/graphemes.inc"
};

std::vector<uint8_t> make_table() {
  std::vector<uint8_t> table(0x110000, any);
  for (size_t i = 0; i < std::size(runs); ++i) {
    const uint32_t end = i + 1 < std::size(runs) ? runs[i + 1].first : 0x110000;
    for (uint32_t c = runs[i].first; c < end; ++c) table[c] = static_cast<uint8_t>(runs[i].kind);
  }
  return table;
}

// What of the cluster so far decides whether the next character belongs to it.
struct Cluster {
  Kind last;
  bool after_pictograph = false;  // a pictograph, and what extends it
  bool joined = false;            // and a joiner
  int conjunct = 0;               // 1: an Indic consonant and what extends it; 2: and a linker
  int regionals = 0;

  void add(Kind kind, uint8_t flags) {
    joined = kind == joiner && after_pictograph;
    after_pictograph = kind == pictograph || (kind == extend && after_pictograph);
    if (kind == consonant) {
      conjunct = 1;
    } else if ((flags & conjunct_linker) != 0) {
      conjunct = conjunct > 0 ? 2 : 0;
    } else if ((flags & conjunct_extend) == 0) {
      conjunct = 0;
    }
    regionals = kind == regional ? regionals + 1 : 0;
    last = kind;
  }

  bool takes(Kind next) const {
    if (last == cr && next == lf) return true;
    if (last == control || last == cr || last == lf) return false;
    if (next == control || next == cr || next == lf) return false;
    if (last == hangul_l &&
        (next == hangul_l || next == hangul_v || next == hangul_lv || next == hangul_lvt)) {
      return true;
    }
    if ((last == hangul_lv || last == hangul_v) && (next == hangul_v || next == hangul_t)) {
      return true;
    }
    if ((last == hangul_lvt || last == hangul_t) && next == hangul_t) return true;
    if (next == extend || next == joiner || next == spacing || last == prepend) return true;
    if (next == consonant) return conjunct == 2;
    if (next == pictograph && last == joiner) return joined;
    return next == regional && last == regional && regionals % 2 == 1;
  }
};

}  // namespace

size_t grapheme_end(std::string_view text, size_t begin) {
  static const std::vector<uint8_t> table = make_table();
  Cluster cluster{any};
  size_t at = begin;
  while (at < text.size()) {
    const uint8_t flags = table[character_at(text, at)];
    const Kind kind = static_cast<Kind>(flags & 0x1F);
    if (at > begin && !cluster.takes(kind)) break;
    cluster.add(kind, flags);
    at += utf8_size(static_cast<unsigned char>(text[at]));
  }
  return at;
}

}  // namespace text
}  // namespace systolic::inline v0
