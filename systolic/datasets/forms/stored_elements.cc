// "train[:80%]+test" as elements.
#include <algorithm>
#include <optional>
#include <span>

#include "systolic/base/error.h"
#include "systolic/datasets/source.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

int64_t count_of(const Source& source, const SplitInfo& split) {
  if (split.num_examples >= 0 && split.counted) return split.num_examples;
  int64_t count = 0;
  const data::Dataset all = source.stored(split);
  for (data::Iterator elements = all.iterator(); elements.next();) ++count;
  return count;
}

data::Dataset in_order(const Source& source, const SplitInfo& split, const SplitPart& part) {
  if (part.count < 0) return source.stored(split);
  const data::Dataset whole = source.mixed ? source.mixed(split) : source.stored(split);
  return whole.skip(part.begin).take(part.count);
}

// Elements that are small, as paths are.
data::Dataset shuffled_elements(const Source& source, const SplitInfo& split, const SplitPart& part,
                                const FileOrder& order, SourceLocation location) {
  const data::Dataset elements = in_order(source, split, part);
  return elements.shuffle(std::max<int64_t>(elements.cardinality(), 1), {.seed = order.seed},
                          location);
}

// The part's files as elements "file", "skip", "take": which elements of each belong to it.
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
  source.stored(split);  // opens all files, so that a missing one is reported now
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
    const bool by_element = order.shuffled && source.mixed;
    const data::Dataset of_part = by_file ? shuffled_files(source, whole, part, order, location)
                                  : by_element
                                      ? shuffled_elements(source, whole, part, order, location)
                                      : in_order(source, whole, part);
    elements = elements ? elements->concatenate(of_part) : of_part;
  }
  return *elements;
}

}  // namespace datasets
}  // namespace systolic::inline v0
