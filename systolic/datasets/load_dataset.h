// Data sets as tables, like Hugging Face's datasets.load_dataset.
//
//   const auto glue = datasets::load_dataset("glue", "cola");
//   glue["train"]["sentence"][0]                                 // a row of a column
//   glue["train[:10%]"].num_rows()                               // 856
//   datasets::load_dataset("csv", {.data_files = {{"train", "mine.csv"}}})["train"]
//
// The forms on the disk are those of load().
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {

struct LoadDatasetOptions {
  std::string data_dir = {};  // as load() has it
  // For "csv", "tsv" and "json": the file of each split.
  std::map<std::string, std::string> data_files = {};
  // For "csv" and "tsv" whose first line does not say them; a first line that has one of them still
  // counts as the header.
  std::vector<std::string> column_names = {};
  bool download = true;
};

// The tables of a data set by split; each is read when it is first asked for.
class DatasetTables {
 public:
  struct State;
  explicit DatasetTables(std::shared_ptr<State> state) : state_(std::move(state)) {}
  // A handle that was moved from still holds on: moving copies.
  DatasetTables(const DatasetTables&) = default;
  DatasetTables& operator=(const DatasetTables&) = default;
  // "train", "train[:80%]", "train+test". Pictures are decoded when a row is asked for; those of
  // class folders also have a column "image_file_path". Classes are "label", but "labels" for
  // "beans", as there.
  Table operator[](NameAt split) const;
  std::vector<std::string> split_names() const;

 private:
  std::shared_ptr<State> state_;
};

// `path` is the data set or its group ("beans", "glue"), `name` the member of the group. NotFound
// where nothing has that name, saying where it was looked for.
DatasetTables load_dataset(std::string_view path, const LoadDatasetOptions& options = {},
                           SourceLocation location = SourceLocation::current());
DatasetTables load_dataset(std::string_view path, std::string_view name,
                           const LoadDatasetOptions& options = {},
                           SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
