#include "systolic/saving/keras/h5_file.h"

#include "systolic/base/error.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/saving/keras/compile_config.h"
#include "systolic/saving/keras/file_checks.h"
#include "systolic/saving/keras/legacy_config.h"
#include "systolic/saving/keras/model_config.h"
#include "systolic/saving/keras/network_config.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/weights/legacy_weights.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr const char *model_config_name = "model_config", *training_config_name = "training_config",
                     *layers_group = "model_weights";

// JSON in an attribute of the root; nothing where there is none.
std::optional<Config> json_attribute(const io::Hdf5File& file, const char* name) {
  const Literal* text = file.root().attribute(name);
  if (text == nullptr) return std::nullopt;
  if (text->dtype() != DType::string || text->size() != 1)
    raise<DataLoss>({.what = str(file.path(), ": the attribute ", name, " is no text")});
  return Config::parse(text->string_at(0));
}

}  // namespace

void write_h5_file(const Model& model, const std::string& path, const SaveOptions& options,
                   SourceLocation location) {
  const bool with_optimizer = options.include_optimizer && is_compiled(model);
  const Config config = config_of_model(model, with_optimizer, ".h5");
  WeightFile file;
  file.root.set("keras_version", Literal::scalar(keras_version));
  file.root.set("backend", Literal::scalar("systolic"));
  file.root.set(model_config_name, Literal::scalar(legacy_network(config).text()));
  if (with_optimizer) {
    const Config training = legacy_training_config(config["compile_config"]);
    file.root.set(training_config_name, Literal::scalar(training.text()));
    add_legacy_optimizer(model, file);
  }
  add_legacy_weights(model, layers_group, file);
  io::write_hdf5(path, file.root, file.values(location), location);
}

Model read_h5_file(const std::string& path, const LoadOptions& options, SourceLocation location) {
  const io::Hdf5File file = io::open_hdf5(path, {}, location);
  const std::optional<Config> config = json_attribute(file, model_config_name);
  const io::Hdf5Group* layers = file.root().find_group(layers_group);
  if (!config || layers == nullptr) {
    const bool weights_alone = file.root().attribute("layer_names") != nullptr ||
                               file.root().find_group("layers") != nullptr;
    raise<InvalidArgument>(
        {.what = str("'", path, "' holds no model", weights_alone ? ", but weights alone" : ""),
         .wanted = "a file of model.save, with model_config and model_weights",
         .hint = weights_alone ? "build the model, and give the file to its load_weights" : ""});
  }
  const Literal* version = file.root().attribute("keras_version");
  if (version != nullptr && version->dtype() == DType::string && version->size() == 1)
    warn_of_later_keras(std::string(version->string_at(0)), path);
  Model model = network_from_keras(modern_network(*config), location);
  const std::optional<Config> training = json_attribute(file, training_config_name);
  const bool compiles = options.compile && training.has_value();
  if (compiles) compile_from_keras(model, modern_compile_config(*training), location);
  set_legacy_weights(model, file, *layers, compiles ? OptimizerPart::read : OptimizerPart::left, {},
                     location);
  return model;
}

}  // namespace saving
}  // namespace systolic::inline v0
