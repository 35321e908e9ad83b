// The files of each split, as load_dataset's .data_files has them.
//
//   {.data_files = {{"train", "a.parquet"}, {"test", {"b.parquet", "c.parquet"}}}}
//   {.data_files = "logs/*.jsonl"}                                  // all of them are "train"
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "systolic/data/paths.h"

namespace systolic::inline v0 {
namespace datasets {

// A path may be a file, a pattern (io::glob) or a folder, whose files count.
class DataFiles {
 public:
  using Splits = std::map<std::string, std::vector<std::string>>;

  DataFiles() = default;
  DataFiles(const char* path) : splits_{{"train", {path}}} {}         // NOLINT
  DataFiles(const std::string& path) : splits_{{"train", {path}}} {}  // NOLINT
  DataFiles(std::initializer_list<std::pair<std::string, data::Paths>> splits) {
    for (auto [split, paths] : splits) splits_[split] = paths.release();
  }
  DataFiles(const std::map<std::string, std::string>& splits) {  // NOLINT
    for (const auto& [split, path] : splits) splits_[split] = {path};
  }
  DataFiles(Splits splits) : splits_(std::move(splits)) {}  // NOLINT

  bool empty() const { return splits_.empty(); }
  const Splits& splits() const { return splits_; }

 private:
  Splits splits_;
};

}  // namespace datasets
}  // namespace systolic::inline v0
