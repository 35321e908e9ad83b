// Templates of NormalizedText.
#pragma once

#include "systolic/text/pieces/normalized_text.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {

template <class Keep>
void NormalizedText::filter(Keep&& keep) {
  Changes changes;
  changes.reserve(text_.size());
  int64_t gone = 0;
  uint32_t gone_first = 0;
  for_each_character(text_, [&](char32_t c, size_t, size_t) {
    if (!keep(c)) {
      ++gone;
      return;
    }
    if (changes.empty()) {
      gone_first = static_cast<uint32_t>(gone);
    } else {
      changes.back().change = -gone;
    }
    changes.push_back({c, 0});
    gone = 0;
  });
  if (!changes.empty()) changes.back().change = -gone;
  transform(changes, gone_first);
}

template <class Map>
void NormalizedText::map(Map&& map) {
  Changes changes;
  changes.reserve(text_.size());
  for_each_character(text_, [&](char32_t c, size_t, size_t) { changes.push_back({map(c), 0}); });
  transform(changes);
}

}  // namespace text
}  // namespace systolic::inline v0
