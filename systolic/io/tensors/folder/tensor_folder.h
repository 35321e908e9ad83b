// The weights of a model as Hugging Face's folders hold them: model.safetensors or
// pytorch_model.bin, one file or several with an index.
//
//   const io::TensorFolder weights = io::open_tensor_folder("bert-base-uncased");
//   weights.find("embeddings.word_embeddings.weight")->shape               // (30522, 768)
//   weights.read("embeddings.word_embeddings.weight", DType::f32)
//
//   io::save_tensor_folder("fine-tuned", tensors);  // transformers loads it
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/io/tensors/tensor_file.h"

namespace systolic::inline v0 {
namespace io {

// Arrays under names, read when asked for. Copies are the same folder. Functions may be called
// by several threads; the files must not change meanwhile.
class TensorFolder {
 public:
  // The file that names the others, or the only one: for errors.
  const std::string& path() const;
  const std::vector<TensorInfo>& tensors() const&;
  // For a temporary, as in a for loop, whose state is gone before the first round.
  std::vector<TensorInfo> tensors() && { return std::as_const(*this).tensors(); }
  const TensorInfo* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // The first file's metadata.
  const std::map<std::string, std::string>& metadata() const;

  // The array: a view into the file where that is possible, see io/tensors/tensor_file.h. NotFound,
  // with the closest names, for a name that is not there.
  Literal read(std::string_view name, SourceLocation location = SourceLocation::current()) const;
  // The same, converted as Literal::convert does.
  Literal read(std::string_view name, DType dtype,
               SourceLocation location = SourceLocation::current()) const;

 private:
  friend TensorFolder open_tensor_folder(const std::string& path, SourceLocation location);
  struct State;
  explicit TensorFolder(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

// Opens a folder's weights, the first of these that exists: model.safetensors,
// model.safetensors.index.json, pytorch_model.bin, pytorch_model.bin.index.json; or the file of
// that path, an index if it ends in ".index.json". Local or remote. Only headers are read.
//
// NotFound, saying what lies there, for a folder without weights; NotFound or DataLoss, naming them
// all, for an index that names files or tensors that are not there.
TensorFolder open_tensor_folder(const std::string& path,
                                SourceLocation location = SourceLocation::current());

struct SaveTensorFolderOptions {
  // Above this, several files with an index are written: transformers' default.
  uint64_t max_shard_size = 50'000'000'000;
  // In each file's header. transformers reads files whose "format" is "pt".
  std::map<std::string, std::string> metadata = {{"format", "pt"}};
};

// Writes model.safetensors into the folder, which is made where it is missing; or
// model-00001-of-00002.safetensors and so on with model.safetensors.index.json. A program that ends
// in between leaves the earlier save or this one, whole: files get names that no other has
// ("model-00001-of-00002-2.safetensors"), the index is written last, and then the files of an
// earlier save are removed.
void save_tensor_folder(const std::string& folder, const Example& tensors,
                        const SaveTensorFolderOptions& options = {},
                        SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
