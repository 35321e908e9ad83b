// How workers share a dataset, as its sources and options ask for: what auto_shard does, and what
// fit does where several processes train together.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/data/options.h"

namespace systolic::inline v0 {
namespace data {

class Node;

struct Sharing {
  AutoShardPolicy policy = AutoShardPolicy::off;  // never automatic
  std::string why = {};                           // "it reads 8 files"
};

// What `asked` comes to for that many workers. `automatic` is what the dataset's options say; where
// they say nothing, it is by file for sources that all read files, at least one a worker.
Sharing sharing_of(const Node& last, int64_t workers,
                   AutoShardPolicy asked = AutoShardPolicy::automatic);

// "by file", "by element"; `elements`: what is shared where not by file.
std::string sharing_text(AutoShardPolicy policy, const std::string& elements);

// The fewest files of a source; -1 where one has no files.
int64_t fewest_files(const Node& last);

// Rows of a full batch of the dataset; -1 where it does not batch.
int64_t rows_of_full_batch(const Node& last);

// Whether elements are kept for later epochs: in memory, or in a file.
bool keeps_elements(const Node& last);

}  // namespace data
}  // namespace systolic::inline v0
