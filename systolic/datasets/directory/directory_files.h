// The files of a directory with their labels: what the three kinds of directory data sets share.
// Internal to datasets.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/datasets/directory/directory_options.h"

namespace systolic::inline v0 {
namespace datasets {

// The fields that the options of all kinds have.
struct DirectoryRules {
  LabelMode label_mode = LabelMode::integer;
  std::optional<std::vector<int64_t>> labels = {};
  std::vector<std::string> class_names = {};
  std::optional<int64_t> batch_size = 32;
  bool shuffle = true;
  std::optional<uint32_t> seed = {};
  double validation_split = 0;
  Subset subset = Subset::all;
};
template <class Options>
DirectoryRules rules_of(const Options& options) {
  return {options.label_mode, options.labels, options.class_names,      options.batch_size,
          options.shuffle,    options.seed,   options.validation_split, options.subset};
}

// Elements {"path", "label"} in the order of an epoch. `endings`: of names, with the dot, in small
// letters.
DirectoryDataset directory_files(const std::string& directory, const DirectoryRules& rules,
                                 const std::vector<std::string_view>& endings,
                                 SourceLocation location);

// With `name`, made of the file by `read`, in place of "path".
data::Dataset read_files(const data::Dataset& files, const char* name,
                         std::function<Literal(const std::string& path)> read);

// The order in which numpy.random.RandomState(seed).shuffle puts 0 ... count - 1.
std::vector<size_t> shuffled_as_numpy(size_t count, uint32_t seed);

}  // namespace datasets
}  // namespace systolic::inline v0
