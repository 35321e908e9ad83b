// Which files of a folder belong to which split, as `datasets` finds it out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/datasets/data_files.h"

namespace systolic::inline v0 {
namespace datasets {

using Endings = std::vector<std::string>;

// The splits of a folder that Dataset.save_to_disk or DatasetDict.save_to_disk wrote; nothing for
// others. A data set alone is "train", unless it says its split.
std::optional<DataFiles::Splits> files_saved_to_disk(const std::string& folder,
                                                     SourceLocation location);

// What folders that name no split are.
enum class Subfolders { data_sets, classes };

// The files with one of the endings, of the folder and three levels below it, by what their folders
// say, or else their names: "test/x.parquet", "data/train-00000-of-00002.parquet", "dev.parquet".
// Files that say nothing beside others that do are left out; where none says anything, all are
// "train". InvalidArgument for a folder of several configurations (glue's
// "cola", "mrpc"), which are named.
DataFiles::Splits files_by_split(const std::string& folder, const Endings& endings,
                                 SourceLocation location, Subfolders subfolders);

// Files as they are, what a pattern matches, and the files of a folder with these endings.
std::vector<std::string> expanded_paths(const std::vector<std::string>& paths,
                                        const Endings& endings, SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
