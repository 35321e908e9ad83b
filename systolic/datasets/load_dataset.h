// Data sets as tables, like Hugging Face's datasets.load_dataset.
//
//   const auto glue = datasets::load_dataset("glue", "cola");
//   glue["train"]["sentence"][0]                                 // a row of a column
//   glue["train[:10%]"].num_rows()                               // 856
//   datasets::load_dataset("parquet", {.data_files = "data/train-*.parquet"})["train"]
//   datasets::load_dataset("/data/imdb").stream("train")         // a pipeline of its rows
//
// The forms on the disk are those of load(), and folders of Parquet files as the Hub has them, or
// of Arrow files as save_to_disk writes them. "parquet", "arrow", "csv", "tsv", "json", "text",
// "imagefolder" and "audiofolder" (WAV) read .data_files, or the files of .data_dir by the splits
// that their names and folders say.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/datasets/data_files.h"
#include "systolic/datasets/tables/read_text.h"
#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {

struct LoadDatasetOptions {
  std::string data_dir = {};  // as load() has it; for a kind of files, the folder that holds them
  DataFiles data_files = {};  // for a kind of files: those of each split
  // For "csv" and "tsv" whose first line does not say them; a first line that has one of them still
  // counts as the header.
  std::vector<std::string> column_names = {};
  // For "json": the member of a file's one object that is the list of records ("data").
  std::string field = {};
  // For "text", whose files have one column, "text".
  SampleBy sample_by = SampleBy::line;
  // For Parquet and Arrow: only these are read.
  std::optional<std::vector<std::string>> columns = {};
  bool download = true;  // as load() has it
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
  // The rows of a whole split as elements. Parquet and Arrow files are read batch by batch, so that
  // they may be larger than the memory; an integer that is null is a DataLoss there.
  data::Dataset stream(NameAt split) const;
  std::vector<std::string> split_names() const;

 private:
  std::shared_ptr<State> state_;
};

// `path` is the data set or its group ("beans", "glue"), `name` the member of the group; a folder
// where it begins with '/', './', '../' or a scheme ("gs://"); or a kind of files. NotFound where
// nothing has that name, saying where it was looked for.
DatasetTables load_dataset(std::string_view path, const LoadDatasetOptions& options = {},
                           SourceLocation location = SourceLocation::current());
DatasetTables load_dataset(std::string_view path, std::string_view name,
                           const LoadDatasetOptions& options = {},
                           SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
