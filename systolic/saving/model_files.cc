// Models to files and back, where the form follows the path's ending, and to JSON.
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/saving/keras/h5_file.h"
#include "systolic/saving/keras/keras_file.h"
#include "systolic/saving/keras/legacy_config.h"
#include "systolic/saving/keras/model_config.h"
#include "systolic/saving/keras/network_config.h"
#include "systolic/saving/load_model.h"
#include "systolic/saving/saved_model_file.h"
#include "systolic/train/model/model_access.h"

namespace systolic::inline v0 {
namespace {

struct ModelForm {
  std::string_view ending;
  void (*write)(const Model&, const std::string& path, const SaveOptions&, SourceLocation);
  Model (*read)(const std::string& path, const LoadOptions&, SourceLocation);
};

constexpr ModelForm model_forms[] = {
    {".keras", saving::write_keras_file, saving::read_keras_file},
    {".h5", saving::write_h5_file, saving::read_h5_file},
};

constexpr ModelForm folder_form{"", saving::write_saved_model_file, saving::read_saved_model_file};

// "run/model": a name without a dot is a folder's.
bool is_named_as_folder(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return !name.empty() && name.find('.') == std::string_view::npos;
}

const ModelForm& form_of(const std::string& path, SourceLocation location) {
  std::vector<std::string> endings;
  for (const ModelForm& form : model_forms) {
    if (path.ends_with(form.ending)) return form;
    endings.emplace_back(form.ending);
  }
  if (is_named_as_folder(path) || saving::is_saved_model_folder(path, location)) return folder_form;
  raise<InvalidArgument>({.what = str("'", path, "' does not say the form of the file"),
                          .wanted = str("a path that ends in ", join(endings, ", "),
                                        ", or a name without a dot for a SavedModel"),
                          .hint = "save_weights and load_weights are for weights alone"});
}

}  // namespace

void Model::save(const std::string& path, const SaveOptions& options,
                 SourceLocation location) const {
  const ErrorScope scope("save", location);
  const ModelForm& form = form_of(path, location);
  if (!options.overwrite && io::exists(path, location)) {
    raise<FailedPrecondition>(
        {.what = str("'", path, "' is there already"), .hint = ".overwrite = true replaces it"});
  }
  const ModelView held = view_of(*this);
  io::make_folder_of(path, location);
  form.write(*this, path, options, location);
}

Config Model::get_config(SourceLocation location) const {
  const ErrorScope scope("get_config", location);
  return saving::config_of_model(*this, false, "JSON");
}

std::string Model::to_json(SourceLocation location) const {
  const ErrorScope scope("to_json", location);
  return saving::config_of_model(*this, false, "JSON").text();
}

Model model_from_json(const std::string& json, SourceLocation location) {
  const ErrorScope scope("model_from_json", location);
  const Config config = Config::parse(json, location);
  return saving::network_from_keras(saving::modern_network(config), location);
}

Model load_model(const std::string& path, const LoadOptions& options, SourceLocation location) {
  try {
    const ErrorScope scope("load_model", location);
    return form_of(path, location).read(path, options, location);
  } catch (const Error& error) {
    // What is raised while a layer is made has the layer's name in the place of ours.
    if (std::string_view(error.what()).starts_with("load_model: ")) throw;
    error.rethrow_within("load_model", location);
  }
}

}  // namespace systolic::inline v0
