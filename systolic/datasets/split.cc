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
data::Dataset elements_of(std::string_view term, const Source& source, SourceLocation location) {
  const size_t bracket = term.find('[');
  const SplitInfo& split = source.info.split(trim(term.substr(0, bracket)), location);
  const data::Dataset all = source.stored(split);
  if (bracket == std::string_view::npos) return all;
  const std::string_view slice = trim(term.substr(bracket));
  const size_t colon = slice.find(':');
  if (slice.back() != ']' || colon == std::string_view::npos) raise_bad_split(term, location);
  int64_t count = split.num_examples;
  if (count < 0 || !split.counted) {  // nothing says it for sure: count
    count = 0;
    for (data::Iterator elements = all.iterator(); elements.next();) ++count;
  }
  const int64_t begin = boundary(slice.substr(1, colon - 1), count, 0, term, location);
  const int64_t end =
      boundary(slice.substr(colon + 1, slice.size() - colon - 2), count, count, term, location);
  return all.skip(begin).take(std::max<int64_t>(end - begin, 0));
}

}  // namespace

std::string split_name_of(std::string_view stem) {
  if (stem == "val" || stem == "valid" || stem == "dev") return "validation";
  return std::string(stem);
}

data::Dataset stored_elements(const Source& source, std::string_view split,
                              SourceLocation location) {
  std::optional<data::Dataset> elements;
  for (const std::string& term : systolic::split(split, '+')) {
    const data::Dataset part = elements_of(term, source, location);
    elements = elements ? elements->concatenate(part) : part;
  }
  if (!elements) raise_bad_split(split, location);
  return *elements;
}

}  // namespace datasets
}  // namespace systolic::inline v0
