// "train[:80%]+test" as elements.
#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/datasets/source.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

[[noreturn]] void raise_bad_split(std::string_view text, SourceLocation location) {
  raise<InvalidArgument>({.what = str("split '", text, "'"),
                          .wanted = "such as \"train\", \"train[:80%]\", \"train[100:-100]\", "
                                    "\"train+test\"",
                          .location = location});
}

// "80%", "-100" or nothing, as a position in [0, count].
int64_t boundary(std::string_view text, int64_t count, int64_t otherwise, std::string_view split,
                 SourceLocation location) {
  text = trim(text);
  if (text.empty()) return otherwise;
  const bool percent = text.back() == '%';
  int64_t number = 0;
  if (!parse_number(percent ? text.substr(0, text.size() - 1) : text, number))
    raise_bad_split(split, location);
  if (percent) {
    if (number < -100 || number > 100) raise_bad_split(split, location);
    // To the nearest, as tfds does by default.
    number = static_cast<int64_t>(
        std::nearbyint(static_cast<double>(number) * static_cast<double>(count) / 100));
  }
  if (number < 0) number += count;
  return std::clamp<int64_t>(number, 0, count);
}

// One term of a split: "train" or "train[:80%]".
SplitPart part_of(std::string_view term, const std::function<int64_t(const std::string&)>& count_of,
                  SourceLocation location) {
  const size_t bracket = term.find('[');
  SplitPart part{std::string(trim(term.substr(0, bracket)))};
  if (bracket == std::string_view::npos) return part;
  const std::string_view slice = trim(term.substr(bracket));
  const size_t colon = slice.find(':');
  if (slice.back() != ']' || colon == std::string_view::npos) raise_bad_split(term, location);
  const int64_t count = count_of(part.name);
  part.begin = boundary(slice.substr(1, colon - 1), count, 0, term, location);
  const int64_t end =
      boundary(slice.substr(colon + 1, slice.size() - colon - 2), count, count, term, location);
  part.count = std::max<int64_t>(end - part.begin, 0);
  return part;
}

int64_t count_of(const Source& source, const SplitInfo& split) {
  if (split.num_examples >= 0 && split.counted) return split.num_examples;
  int64_t count = 0;
  const data::Dataset all = source.stored(split);
  for (data::Iterator elements = all.iterator(); elements.next();) ++count;
  return count;
}

}  // namespace

std::string split_name_of(std::string_view stem) {
  if (stem == "val" || stem == "valid" || stem == "dev") return "validation";
  return std::string(stem);
}

std::vector<SplitPart> split_parts(std::string_view split,
                                   const std::function<int64_t(const std::string&)>& count_of,
                                   SourceLocation location) {
  std::vector<SplitPart> parts;
  for (const std::string& term : systolic::split(split, '+'))
    parts.push_back(part_of(term, count_of, location));
  if (parts.empty()) raise_bad_split(split, location);
  return parts;
}

data::Dataset stored_elements(const Source& source, std::string_view split,
                              SourceLocation location) {
  const auto count = [&](const std::string& name) {
    return count_of(source, source.info.split(name, location));
  };
  std::optional<data::Dataset> elements;
  for (const SplitPart& part : split_parts(split, count, location)) {
    data::Dataset of_part = source.stored(source.info.split(part.name, location));
    if (part.count >= 0) of_part = of_part.skip(part.begin).take(part.count);
    elements = elements ? elements->concatenate(of_part) : of_part;
  }
  return *elements;
}

}  // namespace datasets
}  // namespace systolic::inline v0
