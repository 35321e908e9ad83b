// Parses "train[:80%]+test".
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/datasets/source.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

[[noreturn]] void raise_bad_split(std::string_view text, SourceLocation location) {
  raise<InvalidArgument>(
      {.what = str("split '", text, "'"),
       .wanted = "such as \"train\", \"train[:80%]\", \"train[100:-100]\", \"train[:4shard]\", "
                 "\"train+test\", \"all\"",
       .location = location});
}

bool take_end(std::string_view& text, std::string_view end) {
  if (text.size() < end.size() || text.substr(text.size() - end.size()) != end) return false;
  text = trim(text.substr(0, text.size() - end.size()));
  return true;
}

// One term of a split and what it is cut from.
struct Term {
  std::string_view text;
  SplitSize size;
  bool whole_percents;  // "pct1_dropremainder": k % are k times a hundredth, rounded down
  SourceLocation location;
};

enum class Unit : uint8_t { elements, percents, shards };

// One end of a part: "80%", "-100", "4shard" or nothing.
struct Bound {
  std::string_view number;
  std::optional<Unit> unit;  // as far as it says one
};

Bound read_bound(std::string_view text) {
  text = trim(text);
  if (take_end(text, "shard")) return {text, Unit::shards};
  if (take_end(text, "%")) return {text, Unit::percents};
  return {text, {}};
}

// The number of `text`, in which "10_000" is 10000.
double number_in(std::string_view text, const Term& term) {
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  double number = 0;
  constexpr double most = 1e15;
  if (!parse_number(digits, number) || !(std::abs(number) <= most))
    raise_bad_split(term.text, term.location);
  return number;
}

int64_t integer_in(std::string_view text, const Term& term) {
  const double number = number_in(text, term);
  if (number != std::floor(number)) raise_bad_split(term.text, term.location);
  return static_cast<int64_t>(number);
}

int64_t of_percent(double percent, const Term& term) {
  const int64_t count = term.size.examples;
  if (percent < -100 || percent > 100) raise_bad_split(term.text, term.location);
  // To the nearest, as tfds does by default.
  if (!term.whole_percents)
    return static_cast<int64_t>(std::nearbyint(percent * static_cast<double>(count) / 100));
  if (count < 100) {
    raise<InvalidArgument>({.what = str("split '", term.text, "': pct1_dropremainder of ", count,
                                        " elements would be none"),
                            .wanted = "a split of at least 100",
                            .location = term.location});
  }
  return static_cast<int64_t>(percent * static_cast<double>(count / 100));
}

// Where the shard of that number begins; from the end on if it is negative.
int64_t of_shard(int64_t shard, const Term& term) {
  const std::vector<int64_t>& shards = term.size.shards;
  if (shards.empty()) {
    raise<InvalidArgument>({.what = str("split '", term.text,
                                        "': nothing says how many elements "
                                        "each of its files has"),
                            .hint = "cut it by numbers or percents",
                            .location = term.location});
  }
  const auto count = static_cast<int64_t>(shards.size());
  const int64_t index = std::clamp<int64_t>(shard < 0 ? shard + count : shard, 0, count);
  return std::accumulate(shards.begin(), shards.begin() + index, int64_t{0});
}

int64_t of_element(int64_t position, const Term& term) {
  const int64_t count = term.size.examples;
  if (position >= -count && position <= count) return position;
  raise<InvalidArgument>({.what = str("split '", term.text, "' is cut at ", position),
                          .got = str("a split of ", count, " elements"),
                          .wanted = str("a position from ", -count, " to ", count),
                          .location = term.location});
}

// As a position in [0, count].
int64_t position_of(const Bound& bound, Unit unit, int64_t otherwise, const Term& term) {
  if (bound.number.empty() && !bound.unit) return otherwise;
  if (unit == Unit::shards) return of_shard(integer_in(bound.number, term), term);
  const int64_t position = unit == Unit::percents
                               ? of_percent(number_in(bound.number, term), term)
                               : of_element(integer_in(bound.number, term), term);
  return position < 0 ? position + term.size.examples : position;
}

// The text between the brackets: "10:20", "4shard". As in tfds, a unit at one end counts for the
// other too.
void cut(std::string_view slice, const Term& term, SplitPart& part) {
  const size_t colon = slice.find(':');
  const Bound first = read_bound(slice.substr(0, colon));
  int64_t end = 0;
  if (colon != std::string_view::npos) {
    const Bound last = read_bound(slice.substr(colon + 1));
    if (first.unit && last.unit && *first.unit != *last.unit)
      raise_bad_split(term.text, term.location);
    const Unit unit = first.unit.value_or(last.unit.value_or(Unit::elements));
    part.begin = position_of(first, unit, 0, term);
    end = position_of(last, unit, term.size.examples, term);
  } else {
    if (first.unit != Unit::shards) raise_bad_split(term.text, term.location);
    const int64_t shard = integer_in(first.number, term);
    part.begin = of_shard(shard, term);
    end = shard == -1 ? term.size.examples : of_shard(shard + 1, term);
  }
  part.count = std::max<int64_t>(end - part.begin, 0);
}

// One term of a split: "train" or "train[:80%]".
SplitPart part_of(std::string_view text, const SplitSizes& sizes, SourceLocation location) {
  const size_t bracket = text.find('[');
  SplitPart part{std::string(trim(text.substr(0, bracket)))};
  if (bracket == std::string_view::npos) return part;
  std::string_view slice = trim(text.substr(bracket + 1));
  const bool whole_percents = take_end(slice, "(pct1_dropremainder)");
  if (!whole_percents) take_end(slice, "(closest)");
  if (!take_end(slice, "]")) raise_bad_split(text, location);
  cut(slice, {text, sizes.size_of(part.name), whole_percents, location}, part);
  return part;
}

}  // namespace

std::string split_name_of(std::string_view stem) {
  if (stem == "val" || stem == "valid" || stem == "dev") return "validation";
  return std::string(stem);
}

std::vector<SplitPart> split_parts(std::string_view split, const SplitSizes& sizes,
                                   SourceLocation location) {
  std::vector<SplitPart> parts;
  for (const std::string& term : systolic::split(split, '+')) {
    const bool is_all = trim(term) == "all" && std::find(sizes.names.begin(), sizes.names.end(),
                                                         "all") == sizes.names.end();
    if (!is_all) parts.push_back(part_of(term, sizes, location));
    for (const std::string& name : is_all ? sizes.names : std::vector<std::string>{})
      parts.push_back({name});
  }
  if (parts.empty()) raise_bad_split(split, location);
  return parts;
}

}  // namespace datasets
}  // namespace systolic::inline v0
