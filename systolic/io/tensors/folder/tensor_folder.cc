#include "systolic/io/tensors/folder/tensor_folder.h"

#include <map>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"
#include "systolic/base/join_some.h"
#include "systolic/io/files/file.h"
#include "systolic/io/tensors/folder/tensor_folder_index.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/io/tensors/torch/torch_file.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr std::string_view index_ending = ".index.json";
constexpr std::string_view known_names[] = {"model.safetensors", "model.safetensors.index.json",
                                            "pytorch_model.bin", "pytorch_model.bin.index.json"};
constexpr size_t most_named = 10;  // files or tensors in one error

using Files = std::vector<std::shared_ptr<const TensorFile>>;

std::shared_ptr<const TensorFile> open_tensor_file(const std::string& path,
                                                   SourceLocation location) {
  if (path.ends_with(".safetensors")) return open_safetensors(path, location);
  for (const std::string_view ending : {".bin", ".pt", ".pth"}) {
    if (path.ends_with(ending)) return open_torch_file(path, location);
  }
  raise<InvalidArgument>({.what = str("'", path, "' has a name that tells no weight format"),
                          .wanted =
                              "a folder, or a file that ends in .safetensors, .bin, .pt, .pth or "
                              ".index.json",
                          .location = location});
}

std::string within(const std::string& folder, std::string_view name) {
  return folder.empty() || folder.back() == '/' ? str(folder, name) : str(folder, "/", name);
}

bool is_file(const std::string& path, SourceLocation location) {
  const auto status = file_system(path, location).status(path, location);
  return status && !status->folder;
}

// The file of a folder that holds its weights, or names those that do.
std::string weights_in(const std::string& folder, SourceLocation location) {
  for (const std::string_view name : known_names) {
    std::string path = within(folder, name);
    if (is_file(path, location)) return path;
  }
  const auto names = file_system(folder, location).list(folder, most_named, location);
  raise<NotFound>(
      {.what = str("no weights in '", folder, "'"),
       .got = names.empty() ? "an empty or missing folder" : str("a folder with ", join(names)),
       .wanted = join(known_names, " or "),
       .hint = "weights of TensorFlow or Flax are to be converted by transformers",
       .location = location});
}

// The files that an index names, all of which must be there.
Files open_shards(const std::string& index, const WeightMap& map, SourceLocation location) {
  const size_t slash = index.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : index.substr(0, slash + 1);
  std::set<std::string> names;
  for (const auto& [tensor, file] : map) names.insert(file);
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (!is_file(folder + name, location)) missing.push_back(shown_name(name));
  }
  if (!missing.empty()) {
    raise<NotFound>({.what = str("files that '", index,
                                 "' names are not next to it: ", join_some(missing, most_named)),
                     .hint = "fetch them into the same folder",
                     .location = location});
  }
  Files files;
  for (const std::string& name : names) files.push_back(open_tensor_file(folder + name, location));
  return files;
}

}  // namespace

struct TensorFolder::State {
  struct Place {
    const TensorFile* file;
    size_t in_file, in_all;
  };
  std::string path;
  Files files;
  std::vector<TensorInfo> tensors;
  std::map<std::string, Place, std::less<>> places;

  void add(const TensorFile& file, const WeightMap& map) {
    for (size_t i = 0; i < file.tensors().size(); ++i) {
      const TensorInfo& tensor = file.tensors()[i];
      const auto mapped = map.find(tensor.name);
      // Where a tensor is in two files, the index says which counts.
      if (mapped != map.end() && !file.path().ends_with(str("/", mapped->second)) &&
          file.path() != mapped->second) {
        continue;
      }
      if (!places.emplace(tensor.name, Place{&file, i, tensors.size()}).second) {
        raise<DataLoss>(
            {.what = str("tensor '", shown_name(tensor.name), "' lies in two files of '", path,
                         "', which does not say which counts"),
             .hint = "fetch the checkpoint again"});
      }
      tensors.push_back(tensor);
    }
  }
  void check_all_there(const WeightMap& map, SourceLocation location) const {
    std::vector<std::string> missing;
    for (const auto& [name, file] : map) {
      if (!places.contains(name))
        missing.push_back(str("'", shown_name(name), "' (", shown_name(file), ")"));
    }
    if (missing.empty()) return;
    raise<DataLoss>({.what = str("tensors that '", path, "' names are not in their files: ",
                                 join_some(missing, most_named)),
                     .hint = "the files belong to different checkpoints: fetch them again",
                     .location = location});
  }
};

const std::string& TensorFolder::path() const { return state_->path; }
const std::vector<TensorInfo>& TensorFolder::tensors() const& { return state_->tensors; }

const TensorInfo* TensorFolder::find(std::string_view name) const {
  const auto place = state_->places.find(name);
  return place == state_->places.end() ? nullptr : &state_->tensors[place->second.in_all];
}

const std::map<std::string, std::string>& TensorFolder::metadata() const {
  static const std::map<std::string, std::string> none;
  return state_->files.empty() ? none : state_->files.front()->metadata();
}

Literal TensorFolder::read(std::string_view name, SourceLocation location) const {
  const auto place = state_->places.find(name);
  if (place != state_->places.end())
    return place->second.file->read(place->second.in_file, location);
  std::vector<std::string> known;
  for (const TensorInfo& tensor : state_->tensors) known.push_back(tensor.name);
  raise<NotFound>({.what = str("no tensor '", name, "' in '", path(), "'"),
                   .hint = str("did you mean ", join(closest_names(name, known), " or ")),
                   .location = location});
}

Literal TensorFolder::read(std::string_view name, DType dtype, SourceLocation location) const {
  return read(name, location).convert(dtype);
}

TensorFolder open_tensor_folder(const std::string& path, SourceLocation location) {
  auto state = std::make_shared<TensorFolder::State>();
  state->path = is_file(path, location) ? path : weights_in(path, location);
  WeightMap map;
  if (state->path.ends_with(index_ending)) {
    map = read_tensor_folder_index(state->path, location);
    state->files = open_shards(state->path, map, location);
  } else {
    state->files = {open_tensor_file(state->path, location)};
  }
  for (const auto& file : state->files) state->add(*file, map);
  state->check_all_there(map, location);
  return TensorFolder(std::move(state));
}

}  // namespace io
}  // namespace systolic::inline v0
