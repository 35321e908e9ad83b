#include "systolic/saving/saved_model_file.h"

#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/saving/keras/compile_config.h"
#include "systolic/saving/keras/legacy_config.h"
#include "systolic/saving/keras/model_config.h"
#include "systolic/saving/keras/network_config.h"
#include "systolic/saving/saved_model.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char *metadata_name = "/keras_metadata.pb",
                     *own_config_name = "/assets.extra/systolic_model.json";
constexpr uint64_t most_metadata_bytes = uint64_t{1} << 28;

std::string small_file(const std::string& path, SourceLocation location) {
  const auto status = io::file_system(path, location).status(path, location);
  if (status && status->bytes > most_metadata_bytes)
    raise<ResourceExhausted>({.what = str("'", path, "' of ", status->bytes, " bytes")});
  return io::read_file(path, location);
}

// A SavedObject of tf_keras (its saved_metadata.proto): node_path = 3, identifier = 4, metadata
// = 5.
struct SavedObject {
  std::string_view path, identifier, metadata;
};
bool read_saved_object(std::string_view bytes, SavedObject& object) {
  protobuf::WireReader reader(bytes);
  while (!reader.at_end()) {
    uint32_t field = 0;
    protobuf::WireType type{};
    if (!reader.read_tag(field, type)) return false;
    std::string_view* to = field == 3   ? &object.path
                           : field == 4 ? &object.identifier
                           : field == 5 ? &object.metadata
                                        : nullptr;
    const bool is_text = to != nullptr && type == protobuf::WireType::bytes;
    if (is_text ? !reader.read_bytes(*to) : !reader.skip(type)) return false;
  }
  return true;
}

// The model itself, among SavedMetadata's nodes = 1; nothing where the bytes are no such message.
std::optional<SavedObject> root_object(const std::string& bytes) {
  protobuf::WireReader reader(bytes);
  std::optional<SavedObject> root;
  while (!reader.at_end()) {
    uint32_t field = 0;
    protobuf::WireType type{};
    if (!reader.read_tag(field, type)) return std::nullopt;
    if (field != 1 || type != protobuf::WireType::bytes) {
      if (!reader.skip(type)) return std::nullopt;
      continue;
    }
    std::string_view node;
    SavedObject object;
    if (!reader.read_bytes(node) || !read_saved_object(node, object)) return std::nullopt;
    if (object.path == "root") root = object;
  }
  return root;
}

Config root_metadata(const std::string& bytes, const std::string& path, SourceLocation location) {
  const std::optional<SavedObject> root = root_object(bytes);
  if (!root) raise<DataLoss>({.what = str("'", path, "' is damaged: it names no model")});
  if (root->identifier == "_tf_keras_sequential" || root->identifier == "_tf_keras_network")
    return Config::parse(std::string(root->metadata), location);
  raise<Unimplemented>(
      {.what = str("'", path, "' holds a model that is a class of its program's own"),
       .wanted = "a Sequential or functional model",
       .hint = "build the model, and give the folder to its load_weights"});
}

// tf_keras's JSON has tuples and shapes as objects, metrics as wrapped functions, and optimizers as
// registered ones: as its .h5 has them.
Config plain(const Config& value) {
  if (value.is_list()) {
    Config::List list;
    for (const Config& one : value.list()) list.push_back(plain(one));
    return list;
  }
  if (!value.is_map()) return value;
  const Config* class_name = value.find("class_name");
  const Config* items = value.find("items");
  const std::string name =
      class_name != nullptr && class_name->is_text() ? class_name->text_value() : "";
  if (items != nullptr && (name == "__tuple__" || name == "TensorShape")) return plain(*items);
  if (name == "MeanMetricWrapper") {
    const Config* config = value.find("config");
    const Config* function = config == nullptr || !config->is_map() ? nullptr : config->find("fn");
    if (function != nullptr && function->is_text()) return *function;
  }
  constexpr std::string_view registered = "Custom>";
  Config::Map map;
  for (const auto& [key, one] : value.map()) {
    const bool is_registered = key == "class_name" && name.starts_with(registered);
    map.emplace_back(key, is_registered ? Config(name.substr(registered.size())) : plain(one));
  }
  return map;
}

Model read_tf_keras(const std::string& folder, const LoadOptions& options,
                    SourceLocation location) {
  const std::string path = folder + metadata_name;
  const Config metadata = plain(root_metadata(small_file(path, location), path, location));
  Config network;
  for (const char* key : {"class_name", "config"}) {
    const Config* value = metadata.is_map() ? metadata.find(key) : nullptr;
    if (value == nullptr) raise<DataLoss>({.what = str("'", path, "' is damaged: no ", key)});
    network.set(key, *value);
  }
  Model model = network_from_keras(modern_network(network), location);
  const Config* training = metadata.find("training_config");
  if (options.compile && training != nullptr && training->is_map())
    compile_from_keras(model, modern_compile_config(*training), location);
  model.load_weights(folder, {}, location);
  return model;
}

}  // namespace

bool is_saved_model_folder(const std::string& path, SourceLocation location) {
  return io::exists(path + metadata_name, location) ||
         io::exists(path + "/saved_model.pb", location);
}

void write_saved_model_file(const Model& model, const std::string& folder, const SaveOptions&,
                            SourceLocation location) {
  const Config config = config_of_model(model, false, "a SavedModel");
  export_saved_model(model, folder, location);
  io::make_folder_of(folder + own_config_name, location);
  io::write_file(folder + own_config_name, config.text(), location);
}

Model read_saved_model_file(const std::string& folder, const LoadOptions& options,
                            SourceLocation location) {
  if (io::exists(folder + metadata_name, location)) return read_tf_keras(folder, options, location);
  const std::string own = folder + own_config_name;
  if (!io::exists(own, location)) {
    raise<InvalidArgument>(
        {.what = str("'", folder, "' has a graph and no layers that could be read"),
         .wanted = "a SavedModel of tf_keras, with keras_metadata.pb, or of Model::save",
         .hint = "its graph is never run; build the model, and give the folder to load_weights"});
  }
  Model model = network_from_keras(
      modern_network(Config::parse(small_file(own, location), location)), location);
  model.load_weights(folder, {}, location);
  return model;
}

}  // namespace saving
}  // namespace systolic::inline v0
