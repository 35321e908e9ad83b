#include "systolic/text/pieces/encoding.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

template <class T>
void append_to(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class T>
std::vector<T> part_of(const std::vector<T>& all, size_t begin, size_t end) {
  if (all.empty()) return {};
  return {all.begin() + static_cast<int64_t>(begin), all.begin() + static_cast<int64_t>(end)};
}

Encoding part_of(const Encoding& all, size_t begin, size_t end) {
  Encoding part;
  part.ids = part_of(all.ids, begin, end);
  part.type_ids = part_of(all.type_ids, begin, end);
  part.tokens = part_of(all.tokens, begin, end);
  part.offsets = part_of(all.offsets, begin, end);
  part.word_ids = part_of(all.word_ids, begin, end);
  part.special_tokens_mask = part_of(all.special_tokens_mask, begin, end);
  part.attention_mask = part_of(all.attention_mask, begin, end);
  return part;
}

// Where parts of `length` tokens begin and end, each `step` after the one before.
std::vector<Offsets> parts_of(size_t count, size_t length, size_t step, bool from_left) {
  std::vector<Offsets> parts;
  const auto add = [&](size_t begin, size_t end) {
    parts.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  };
  if (from_left) {
    for (size_t end = count;; end -= step) {
      const size_t begin = end > length ? end - length : 0;
      add(begin, end);
      if (begin == 0 || end <= step) break;
    }
  } else {
    for (size_t begin = 0; begin < count; begin += step) {
      const size_t end = std::min(begin + length, count);
      add(begin, end);
      if (end == count) break;
    }
  }
  return parts;
}

}  // namespace

std::vector<int32_t> Encoding::sequence_ids() const {
  // Where one range is known, the package asks for the first text's: all tokens without it.
  const size_t known = sequences[0].has_value() + sequences[1].has_value();
  std::vector<int32_t> result(ids.size(), -1);
  for (size_t sequence = 0; sequence < std::max<size_t>(known, 1); ++sequence) {
    const Offsets range = sequences[sequence].value_or(Offsets{0, static_cast<uint32_t>(size())});
    for (size_t i = range.begin; i < std::min<size_t>(range.end, ids.size()); ++i) {
      result[i] = static_cast<int32_t>(sequence);
    }
  }
  return result;
}

int64_t Encoding::char_to_token(uint32_t character, int sequence, SourceLocation location) const {
  if (offsets.size() != ids.size()) {
    raise<FailedPrecondition>(
        {.what = "char_to_token of an encoding without offsets",
         .hint = "ask the call for them: {.return_offsets_mapping = true}; encode() gives them",
         .location = location});
  }
  const auto range =
      sequences[static_cast<size_t>(sequence != 0)].value_or(Offsets{0, uint32_t(size())});
  for (size_t i = range.begin; i < std::min<size_t>(range.end, offsets.size()); ++i) {
    if (offsets[i].begin <= character && character < offsets[i].end) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

void Encoding::set_sequence(int sequence) {
  sequences[static_cast<size_t>(sequence)] = Offsets{0, static_cast<uint32_t>(size())};
}

void Encoding::append(const Encoding& next) {
  std::vector<Encoding> all_overflowing;
  // Each is combined with each: they may be neither too many nor too large.
  constexpr size_t most = 1'000'000, most_in_pairs = size_t{1} << 24;
  const size_t pairs = (overflowing.size() + 1) * (next.overflowing.size() + 1);
  if (pairs > most || (pairs > 1 && pairs * (size() + next.size()) > most_in_pairs)) {
    raise<ResourceExhausted>(
        {.what = str("cutting two texts into ", overflowing.size() + 1, " parts of ", size(),
                     " tokens and ", next.overflowing.size() + 1, " of ", next.size()),
         .wanted = str("at most ", most, " pairs of parts of ", most_in_pairs, " tokens in all"),
         .hint = "a smaller stride makes fewer parts, and the truncation only_first or "
                 "only_second cuts one text alone"});
  }
  const auto combine = [&](const Encoding& first, const Encoding& second) {
    Encoding whole = first;
    whole.append(second);
    all_overflowing.push_back(std::move(whole));
  };
  for (const Encoding& own : overflowing) {
    combine(own, next);
    for (const Encoding& other : next.overflowing) combine(own, other);
  }
  for (const Encoding& other : next.overflowing) combine(*this, other);
  const auto length = static_cast<uint32_t>(size());
  for (size_t sequence = 0; sequence < 2; ++sequence) {
    if (const auto& range = next.sequences[sequence]) {
      sequences[sequence] = Offsets{range->begin + length, range->end + length};
    }
  }
  append_to(ids, next.ids);
  append_to(type_ids, next.type_ids);
  append_to(tokens, next.tokens);
  append_to(offsets, next.offsets);
  append_to(word_ids, next.word_ids);
  append_to(special_tokens_mask, next.special_tokens_mask);
  append_to(attention_mask, next.attention_mask);
  overflowing = std::move(all_overflowing);
}

void Encoding::truncate(size_t length, size_t stride, bool from_left, bool keep_others) {
  if (length >= size()) return;
  if (length == 0) {
    Encoding all = std::move(*this);
    *this = Encoding();
    if (keep_others) overflowing.push_back(std::move(all));
    return;
  }
  if (stride >= length) {
    raise<InvalidArgument>(
        {.what = str("a stride of ", stride, " tokens, where max_length leaves a text ", length),
         .wanted = "a stride below the length that special tokens leave"});
  }
  if (!keep_others) {
    *this = from_left ? part_of(*this, size() - length, size()) : part_of(*this, 0, length);
    return;
  }
  constexpr size_t most = size_t{1} << 26;
  if ((size() / (length - stride) + 1) * length > most) {
    raise<ResourceExhausted>(
        {.what = str("cutting ", size(), " tokens into parts of ", length, " that share ", stride),
         .wanted = str("parts of at most ", most, " tokens in all")});
  }
  const auto parts = parts_of(size(), length, length - stride, from_left);
  Encoding kept = part_of(*this, parts[0].begin, parts[0].end);
  for (size_t i = 1; i < parts.size(); ++i) {
    kept.overflowing.push_back(part_of(*this, parts[i].begin, parts[i].end));
  }
  *this = std::move(kept);
}

void Encoding::pad(const Padding& padding) {
  for (Encoding& part : overflowing) part.pad(padding);
  if (size() >= padding.length) return;
  const size_t more = padding.length - size();
  const bool all = tokens.size() == size();
  const auto add = [&](auto& list, auto value) {
    list.insert(padding.left ? list.begin() : list.end(), more, value);
  };
  add(ids, padding.id);
  add(type_ids, padding.type_id);
  add(special_tokens_mask, 1);
  add(attention_mask, 0);
  if (all) {
    add(tokens, padding.token);
    add(offsets, Offsets{});
    add(word_ids, -1);
  }
  if (!padding.left) return;
  for (auto& range : sequences) {
    if (!range) continue;
    range->begin += static_cast<uint32_t>(more);
    range->end += static_cast<uint32_t>(more);
  }
}

}  // namespace systolic::inline v0
