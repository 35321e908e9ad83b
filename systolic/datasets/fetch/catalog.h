// Data sets known by name: other names they go by, where they are downloaded from, and what their
// files do not say themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/datasets/tables/read_table.h"

namespace systolic::inline v0 {
namespace datasets {

struct Download {
  std::string url;
  // The whole file's: 64 hexadecimal digits of SHA-256, 32 of MD5, or "" where none is published.
  std::string digest;
};

struct KnownDataset {
  std::string name;
  std::vector<std::string> folders;  // where it may lie under the data folder, first wins
  std::vector<Download> files = {};  // archives are unpacked next to themselves
  std::string subfolder = {};        // of what was unpacked
  ColumnNames column_names = {};     // for tables without a header line
  std::vector<std::string> class_names = {};
  std::string table_label = "label";  // the labels' column, as in Hugging Face's tables
};

// Null for unknown names: these are only looked for on the disk.
const KnownDataset* find_known(std::string_view name);

}  // namespace datasets
}  // namespace systolic::inline v0
