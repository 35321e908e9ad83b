// Kinds of files that load_dataset reads by themselves: "parquet", "csv" and the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/datasets/hub/split_files.h"
#include "systolic/datasets/load_dataset.h"

namespace systolic::inline v0 {
namespace datasets {

bool is_file_kind(std::string_view name);
std::vector<std::string> file_kind_names();

// The files of each split, and how they are read.
class FileTables {
 public:
  // Of .data_files, or of the folder .data_dir. InvalidArgument where neither names one, or a
  // file's ending is another kind's; NotFound for a file that is not there.
  FileTables(std::string_view kind, const LoadDatasetOptions& options, SourceLocation location);
  // Parquet or Arrow files in a folder; nothing where it has none.
  static std::optional<FileTables> in_folder(const std::string& folder,
                                             const LoadDatasetOptions& options,
                                             SourceLocation location);

  std::vector<std::string> split_names() const;
  bool contains(const std::string& split) const { return files_.count(split) != 0; }
  Table table(const std::string& split) const;
  // Nothing where this kind is read at once.
  std::optional<data::Dataset> stream(const std::string& split) const;

 private:
  FileTables(std::string kind, DataFiles::Splits files, LoadDatasetOptions options,
             SourceLocation location);

  Table file_table(const std::string& path) const;

  std::string kind_;
  DataFiles::Splits files_;
  LoadDatasetOptions options_;
  SourceLocation location_;
};

}  // namespace datasets
}  // namespace systolic::inline v0
