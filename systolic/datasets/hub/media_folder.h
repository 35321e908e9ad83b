// Folders of pictures or sounds: load_dataset's "imagefolder" and "audiofolder".
//
//   train/cat/1.png, train/dog/2.png           "image", and "label" of the classes cat and dog
//   train/1.png, train/metadata.csv            "image" in the place of its file_name, the other
//                                              columns as they are, in its order; metadata.jsonl
//                                              and metadata.parquet likewise
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/datasets/data_files.h"
#include "systolic/datasets/hub/split_files.h"
#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {

enum class Media { image, audio };

// Those of files that may be such, whether they can be decoded or not, and of metadata.
Endings media_endings(Media media);

// The table of a split. Pictures and sounds are read when a row is asked for. The folders of all
// `splits` together are the classes, where there is no metadata, they lie equally deep, and there
// are two at least. DataLoss for metadata without file_name, and for a file_name that leads out of
// its folder; Unimplemented for metadata.parquet in a build without Arrow.
Table media_folder_table(Media media, const DataFiles::Splits& splits, const std::string& split,
                         SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
