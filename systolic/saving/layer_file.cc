#include "systolic/saving/layer_file.h"

#include "systolic/base/error.h"
#include "systolic/saving/keras/keras_file.h"
#include "systolic/saving/keras/network_config.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

struct FoundLayer {
  std::string name;
  Config object;
};

void find_layers(const Config& network, const std::string& kind, int depth,
                 std::vector<FoundLayer>& found) {
  const Config* values = network.find("config");
  const Config* layers = values != nullptr && values->is_map() ? values->find("layers") : nullptr;
  if (layers == nullptr || !layers->is_list() || depth > 50) return;
  for (const Config& layer : layers->list()) {
    const Config* own = layer.find("class_name");
    if (own == nullptr || !own->is_text()) continue;
    if (own->text_value() == kind) {
      const Config* name = layer["config"].find("name");
      found.push_back({name != nullptr && name->is_text() ? name->text_value() : "", layer});
    }
    find_layers(layer, kind, depth + 1, found);
  }
}

std::string names_of(const std::vector<FoundLayer>& layers) {
  std::string names;
  for (const FoundLayer& layer : layers) names += (names.empty() ? "" : ", ") + layer.name;
  return names;
}

// What Keras's own input of such a layer is.
DType input_of(const std::string& kind) {
  if (kind == "StringLookup" || kind == "TextVectorization" || kind == "Hashing")
    return DType::string;
  return kind == "IntegerLookup" ? DType::i64 : DType::f32;
}

}  // namespace

Config layer_values_in(const std::string& path, const std::string& kind, const std::string& name,
                       SourceLocation location) {
  std::vector<FoundLayer> all, named;
  find_layers(read_keras_config(path, location), kind, 0, all);
  for (const FoundLayer& layer : all)
    if (name.empty() || layer.name == name) named.push_back(layer);
  if (named.empty()) {
    raise<NotFound>({.what = str("'", path, "' has no ", kind,
                                 name.empty() ? std::string() : str(" '", name, "'")),
                     .wanted = all.empty() ? std::string() : str("one of: ", names_of(all)),
                     .location = location});
  }
  if (named.size() > 1) {
    raise<InvalidArgument>(
        {.what = str("'", path, "' has ", named.size(), " layers of kind ", kind),
         .wanted = str("the name of one: ", names_of(named)),
         .location = location});
  }
  return layer_config_from_keras(named.front().object)["config"];
}

void write_layer_file(const Layer& layer, const std::vector<double>& token_weights,
                      const std::string& path, SourceLocation location) {
  write_keras_layer(layer, token_weights, path, input_of(layer.kind()), location);
}

}  // namespace saving
}  // namespace systolic::inline v0
