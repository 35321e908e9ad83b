#include "systolic/data/transformations/sharing.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "systolic/base/text.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

// Transformations whose elements have as many rows as those that they read.
constexpr std::array<std::string_view, 10> keep_rows{
    "map",  "filter", "ignore_errors", "shuffle",    "repeat",
    "take", "skip",   "prefetch",      "auto_shard", "with_options"};

std::string files_text(int64_t files) {
  if (files < 0) return "a source of it reads no files";
  return str("it reads ", files, files == 1 ? " file" : " files");
}

}  // namespace

Sharing sharing_of(const Node& last, int64_t workers, AutoShardPolicy asked) {
  if (workers == 1) return {AutoShardPolicy::off, "there is one worker"};
  if (asked != AutoShardPolicy::automatic) return {asked, "the call says so"};
  const AutoShardPolicy option = last.options().experimental_distribute.auto_shard_policy;
  if (option != AutoShardPolicy::automatic) return {option, "its options say so"};
  const int64_t files = fewest_files(last);
  return {files < workers ? AutoShardPolicy::data : AutoShardPolicy::file, files_text(files)};
}

std::string sharing_text(AutoShardPolicy policy, const std::string& elements) {
  if (policy == AutoShardPolicy::file) return "by file";
  return policy == AutoShardPolicy::data ? str("by ", elements) : "not at all";
}

int64_t fewest_files(const Node& last) {
  const auto inputs = last.inputs();
  if (inputs.empty()) return last.files().count;
  int64_t fewest = INT64_MAX;
  for (const Node* input : inputs) fewest = std::min(fewest, fewest_files(*input));
  return fewest;
}

int64_t rows_of_full_batch(const Node& last) {
  if (last.batch_size() >= 0) return last.batch_size();
  const bool keeps_rows =
      std::find(keep_rows.begin(), keep_rows.end(), name_in(last.label())) != keep_rows.end();
  return keeps_rows ? rows_of_full_batch(*last.inputs().front()) : -1;
}

bool keeps_elements(const Node& last) {
  const std::string_view name = name_in(last.label());
  if (name == "cache" || name == "snapshot") return true;
  const auto inputs = last.inputs();
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Node* input) { return keeps_elements(*input); });
}

}  // namespace data
}  // namespace systolic::inline v0
