#include "systolic/saving/model_file_info.h"

#include <string_view>

#include "systolic/base/error.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/io/tensor_bundle/object_graph.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/io/tensors/safetensors.h"
#include "systolic/saving/keras/keras_file.h"
#include "systolic/train/weights/keras_shards.h"

namespace systolic::inline v0 {
namespace {

std::string text_of(const Literal* attribute) {
  const bool is_text =
      attribute != nullptr && attribute->dtype() == DType::string && attribute->size() == 1;
  return is_text ? std::string(attribute->string_at(0)) : std::string();
}

void add_arrays(const io::Hdf5Group& group, const std::string& path,
                std::vector<io::TensorInfo>& arrays) {
  const auto inside = [&](const std::string& name) {
    return path.empty() ? name : str(path, "/", name);
  };
  for (const io::Hdf5Dataset& one : group.datasets)
    arrays.push_back({inside(one.name), one.dtype, one.shape});
  for (const io::Hdf5Group& one : group.groups) add_arrays(one, inside(one.name), arrays);
}

ModelFileInfo keras_info(const std::string& path, SourceLocation location) {
  const Config metadata = saving::keras_file_metadata(path, location);
  ModelFileInfo info{.form = "Keras 3 (.keras)", .has_model = true};
  const auto text = [&](std::string_view entry) {
    const Config* value = metadata.is_map() ? metadata.find(entry) : nullptr;
    return value != nullptr && value->is_text() ? value->text_value() : std::string();
  };
  const std::string writer = text("written_by");
  info.written_by = str(writer.empty() ? "" : writer + ", as ", "Keras ", text("keras_version"));
  info.date = text("date_saved");
  return info;
}

ModelFileInfo h5_info(const std::string& path, SourceLocation location) {
  const io::Hdf5File file = io::open_hdf5(path, {}, location);
  ModelFileInfo info;
  info.has_model = file.root().attribute("model_config") != nullptr;
  const std::string version = text_of(file.root().attribute("keras_version"));
  const std::string backend = text_of(file.root().attribute("backend"));
  if (!version.empty()) info.written_by = str("Keras ", version);
  if (!backend.empty()) info.written_by += str(" on ", backend);
  const bool by_layers = file.root().attribute("layer_names") != nullptr ||
                         file.root().attribute("layer_names0") != nullptr;
  info.form = info.has_model ? "Keras's older .h5, a whole model"
              : by_layers    ? "Keras's older .h5, weights"
                             : "HDF5, weights";
  if (!info.has_model) add_arrays(file.root(), "", info.arrays);
  return info;
}

ModelFileInfo shards_info(const std::string& path, SourceLocation location) {
  ModelFileInfo info{.form = "Keras 3's weights in several files"};
  for (const auto& [group, arrays] : saving::open_shards(path, location).groups) {
    for (const auto& [name, array] : arrays)
      info.arrays.push_back({str(group, "/", name), array.type.dtype, array.type.shape});
  }
  return info;
}

ModelFileInfo safetensors_info(const std::string& path, SourceLocation location) {
  const auto file = io::open_safetensors(path, location);
  const auto format = file->metadata().find("format");
  return {.form = "safetensors, weights",
          .written_by = format == file->metadata().end() ? "" : format->second,
          .arrays = file->tensors()};
}

ModelFileInfo npz_info(const std::string& path, SourceLocation location) {
  return {.form = "NumPy's .npz, weights", .arrays = io::open_npz(path, location)->tensors()};
}

// By the names of the file, without what all arrays of variables have at their end.
ModelFileInfo checkpoint_info(const std::string& path, SourceLocation location) {
  constexpr std::string_view ending = "/.ATTRIBUTES/VARIABLE_VALUE";
  const auto bundle = io::open_tensor_bundle(path, location);
  ModelFileInfo info{.form = "TensorFlow's checkpoint"};
  for (io::TensorInfo tensor : bundle->tensors()) {
    if (tensor.name == io::object_graph_key) continue;
    if (tensor.name.ends_with(ending)) tensor.name.resize(tensor.name.size() - ending.size());
    info.arrays.push_back(std::move(tensor));
  }
  return info;
}

struct InfoForm {
  std::string_view ending;
  ModelFileInfo (*read)(const std::string& path, SourceLocation location);
};

constexpr InfoForm info_forms[] = {{".keras", keras_info},
                                   {".h5", h5_info},
                                   {".weights.json", shards_info},
                                   {".safetensors", safetensors_info},
                                   {".npz", npz_info},
                                   {".ckpt", checkpoint_info},
                                   {".index", checkpoint_info}};

}  // namespace

ModelFileInfo model_file_info(const std::string& path, SourceLocation location) {
  std::vector<std::string> endings;
  for (const InfoForm& form : info_forms) {
    if (path.ends_with(form.ending)) return form.read(path, location);
    endings.emplace_back(form.ending);
  }
  raise<InvalidArgument>({.what = str("'", path, "' does not say the form of the file"),
                          .wanted = str("a path that ends in ", join(endings, ", ")),
                          .location = location});
}

}  // namespace systolic::inline v0
