#include <algorithm>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/tensors/folder/tensor_folder.h"
#include "systolic/io/tensors/folder/tensor_folder_index.h"
#include "systolic/io/tensors/safetensors_write.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr std::string_view single_name = "model.safetensors",
                           index_name = "model.safetensors.index.json";

std::string five_digits(size_t value) {
  std::string digits = str(value);
  if (digits.size() < 5) digits.insert(0, 5 - digits.size(), '0');
  return digits;
}

std::string shard_name(size_t i, size_t count, const std::string& ending = "") {
  return str("model-", five_digits(i + 1), "-of-", five_digits(count), ending, ".safetensors");
}

bool is_shard_name(std::string_view name) {
  if (!name.starts_with("model-") || !name.ends_with(".safetensors")) return false;
  const std::string_view middle = name.substr(6, name.size() - 6 - 12);
  return middle.find("-of-") != std::string_view::npos &&
         std::all_of(middle.begin(), middle.end(), [](char c) {
           return (c >= '0' && c <= '9') || c == '-' || c == 'o' || c == 'f';
         });
}

// In their order, as many to a shard as fit; one that alone is too large is a shard of its own.
std::vector<Example> shards_of(const Example& tensors, uint64_t max_shard_size) {
  std::vector<Example::Components> shards(1);
  uint64_t bytes = 0;
  for (const auto& tensor : tensors) {
    const uint64_t size = tensor.value.byte_size();
    if (!shards.back().empty() && size > max_shard_size - std::min(bytes, max_shard_size)) {
      shards.emplace_back();
      bytes = 0;
    }
    shards.back().push_back(tensor);
    bytes += size;
  }
  std::vector<Example> result;
  for (auto& shard : shards) result.emplace_back(std::move(shard));
  return result;
}

std::vector<std::string> names_in(const std::string& folder, SourceLocation location) {
  constexpr size_t most_files = 100'000;
  return file_system(folder, location).list(folder, most_files, location);
}

// Names that no file has: the index of an earlier save holds until the new one replaces it. The
// files of an earlier save of as many shards get another ending:
// "model-00001-of-00002-2.safetensors".
std::vector<std::string> shard_names(const std::string& folder, size_t count,
                                     SourceLocation location) {
  const std::vector<std::string> there = names_in(folder, location);
  for (size_t save = 1;; ++save) {
    const std::string ending = save == 1 ? "" : str("-", save);
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(shard_name(i, count, ending));
    const bool fresh = std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::find(there.begin(), there.end(), name) != there.end();
    });
    if (fresh) return names;
  }
}

// Files of an earlier save, which a reader would take for a part of this one.
void remove_others(const std::string& folder, const std::string& prefix,
                   const std::set<std::string>& written, SourceLocation location) {
  for (const std::string& name : names_in(folder, location)) {
    const bool ours = name == single_name || name == index_name || is_shard_name(name);
    if (ours && !written.contains(name))
      file_system(prefix, location).remove(prefix + name, location);
  }
}

}  // namespace

void save_tensor_folder(const std::string& folder, const Example& tensors,
                        const SaveTensorFolderOptions& options, SourceLocation location) {
  if (options.max_shard_size == 0) {
    raise<InvalidArgument>({.what = "max_shard_size 0", .wanted = "bytes", .location = location});
  }
  if (!folder.empty()) make_folder(folder, location);
  const std::string prefix = folder.empty() || folder.back() == '/' ? folder : folder + "/";
  const std::vector<Example> shards = shards_of(tensors, options.max_shard_size);
  std::vector<AtomicFile> files;
  std::set<std::string> written;
  WeightMap map;
  const std::vector<std::string> names = shards.size() == 1
                                             ? std::vector<std::string>{std::string(single_name)}
                                             : shard_names(folder, shards.size(), location);
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string& name = names[i];
    files.push_back(put_safetensors(prefix + name, shards[i], options.metadata, location));
    written.insert(name);
    for (const auto& tensor : shards[i]) map[tensor.name] = name;
  }
  if (shards.size() > 1) {
    files.emplace_back(prefix + std::string(index_name), location);
    files.back().write(tensor_folder_index_text(map, tensors.byte_size()));
    written.insert(std::string(index_name));
  }
  // The index last: until it has its name, a reader finds the earlier save whole.
  for (AtomicFile& file : files) file.commit();
  remove_others(folder, prefix, written, location);
}

}  // namespace io
}  // namespace systolic::inline v0
