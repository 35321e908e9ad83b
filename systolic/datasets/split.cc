// "train[:80%]+test" as elements.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

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

// "80%", "-100", "4shard" or nothing, as a position in [0, count].
int64_t boundary(std::string_view text, int64_t otherwise, const Term& term) {
  text = trim(text);
  if (text.empty()) return otherwise;
  if (take_end(text, "shard")) return of_shard(integer_in(text, term), term);
  int64_t position =
      take_end(text, "%") ? of_percent(number_in(text, term), term) : integer_in(text, term);
  if (position < 0) position += term.size.examples;
  return std::clamp<int64_t>(position, 0, term.size.examples);
}

// What stands between the brackets: "10:20", "4shard".
void cut(std::string_view slice, const Term& term, SplitPart& part) {
  const size_t colon = slice.find(':');
  int64_t end = 0;
  if (colon != std::string_view::npos) {
    part.begin = boundary(slice.substr(0, colon), 0, term);
    end = boundary(slice.substr(colon + 1), term.size.examples, term);
  } else {
    std::string_view text = trim(slice);
    if (!take_end(text, "shard")) raise_bad_split(term.text, term.location);
    const int64_t shard = integer_in(text, term);
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

int64_t count_of(const Source& source, const SplitInfo& split) {
  if (split.num_examples >= 0 && split.counted) return split.num_examples;
  int64_t count = 0;
  const data::Dataset all = source.stored(split);
  for (data::Iterator elements = all.iterator(); elements.next();) ++count;
  return count;
}

data::Dataset in_order(const Source& source, const SplitInfo& split, const SplitPart& part) {
  const data::Dataset whole = source.stored(split);
  return part.count < 0 ? whole : whole.skip(part.begin).take(part.count);
}

// The part's files as elements "file", "skip", "take": what of each belongs to it.
Example files_of(const SplitInfo& split, const SplitPart& part, SourceLocation location) {
  if (part.count >= 0 && split.shard_lengths.size() != split.files.size()) {
    raise<InvalidArgument>({.what = str("shuffle_files of a part of split '", split.name,
                                        "': nothing says how many elements each file has"),
                            .hint = "the whole split, or without shuffle_files",
                            .location = location});
  }
  std::vector<std::string> files;
  std::vector<int64_t> skips, takes;
  int64_t start = 0;  // of the file, in the split
  for (size_t i = 0; i < split.files.size(); ++i) {
    const int64_t length = part.count < 0 ? -1 : split.shard_lengths[i];
    const int64_t begin = part.count < 0 ? 0 : std::max(part.begin - start, int64_t{0});
    const int64_t end = part.count < 0 ? -1 : std::min(part.begin + part.count - start, length);
    start += std::max(length, int64_t{0});
    if (part.count >= 0 && begin >= end) continue;
    files.push_back(split.files[i]);
    skips.push_back(begin);
    takes.push_back(part.count < 0 ? -1 : end - begin);
  }
  return {{"file", Literal::strings(files)},
          {"skip", Literal::from(std::span<const int64_t>(skips), Shape{std::ssize(skips)})},
          {"take", Literal::from(std::span<const int64_t>(takes), Shape{std::ssize(takes)})}};
}

// As tfds reads them: another order of the files in every epoch, 16 elements of each of 16 in turn.
data::Dataset shuffled_files(const Source& source, const SplitInfo& split, const SplitPart& part,
                             const FileOrder& order, SourceLocation location) {
  source.stored(split);  // opens all files, so that one that is missing is said now
  const Example files = files_of(split, part, location);
  const auto elements_of = [of_file = source.of_file](const Example& file) {
    return of_file(std::string(file["file"].bytes()))
        .skip(file["skip"].item<int64_t>())
        .take(file["take"].item<int64_t>());
  };
  data::Dataset elements =
      data::from_tensor_slices(files, location)
          .shuffle(std::max<int64_t>(files["file"].size(), 1), {.seed = order.seed}, location)
          .interleave(elements_of,
                      {.cycle_length = 16, .block_length = 16, .num_parallel_calls = order.threads},
                      location);
  const int64_t count = part.count < 0 ? split.num_examples : part.count;
  return split.counted ? elements.assert_cardinality(count, location) : elements;
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

data::Dataset stored_elements(const Source& source, std::string_view split, const FileOrder& order,
                              SourceLocation location) {
  SplitSizes sizes;
  for (const SplitInfo& each : source.info.splits) sizes.names.push_back(each.name);
  sizes.size_of = [&](const std::string& name) {
    const SplitInfo& found = source.info.split(name, location);
    return SplitSize{count_of(source, found), found.shard_lengths};
  };
  std::optional<data::Dataset> elements;
  for (const SplitPart& part : split_parts(split, sizes, location)) {
    const SplitInfo& whole = source.info.split(part.name, location);
    const bool by_file = order.shuffled && source.of_file && whole.files.size() > 1;
    const data::Dataset of_part = by_file ? shuffled_files(source, whole, part, order, location)
                                          : in_order(source, whole, part);
    elements = elements ? elements->concatenate(of_part) : of_part;
  }
  return *elements;
}

}  // namespace datasets
}  // namespace systolic::inline v0
