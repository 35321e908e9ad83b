#include "tools/systolic/predict/predictor.h"

#include <algorithm>
#include <memory>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/read_range.h"
#include "systolic/saving/exported_model.h"
#include "systolic/saving/load_model.h"
#include "systolic/transformers/images/image_processor.h"
#include "systolic/transformers/pretrained_model.h"

namespace tool::predict {

using namespace systolic;

namespace {

constexpr Task tasks[] = {Task::features,
                          Task::sequence_classification,
                          Task::token_classification,
                          Task::question_answering,
                          Task::masked_lm,
                          Task::causal_lm,
                          Task::image_classification,
                          Task::pretraining,
                          Task::image_classification_with_teacher,
                          Task::seq2seq_lm};

std::string inside(const std::string& folder, std::string_view name) {
  return str(folder, folder.ends_with('/') ? "" : "/", name);
}

// The configuration that transformers saved; empty where the folder holds something else.
std::optional<Config> hugging_face_config(const std::string& folder) {
  const std::string path = inside(folder, "config.json");
  constexpr uint64_t most_bytes = uint64_t{1} << 26;
  if (!io::exists(path)) return {};
  Config config = Config::parse(io::read_file_of_at_most(path, most_bytes, {}));
  const bool is_one = config.is_map() && config.find("model_type") != nullptr;
  return is_one ? std::optional(std::move(config)) : std::nullopt;
}

// By the class that the file names; the body alone where it names none.
Task task_of(const Config& file, const PretrainedConfig& config) {
  const Config* names = file.find("architectures");
  if (names == nullptr || !names->is_list() || names->list().empty()) return Task::features;
  const Config& name = names->list().front();
  for (const Task task : tasks) {
    if (name.is_text() && config.architecture().class_name(task) == name.text_value()) return task;
  }
  raise<Unimplemented>(
      {.what = str("the model's class ", name.is_text() ? name.text_value() : name.text()),
       .wanted = "one of those in docs/pretrained_models.md"});
}

bool scores_classes(Task task) {
  return task == Task::sequence_classification || task == Task::image_classification ||
         task == Task::image_classification_with_teacher;
}

Predictor of_hugging_face(const std::string& folder, const Config& file) {
  const PretrainedConfig config = PretrainedConfig::from_pretrained(folder);
  const Task task = task_of(file, config);
  const PretrainedModel model = PretrainedModel::from_pretrained(folder, config, task, {}, {});
  Predictor result{.inputs = model.network().input_ports()};
  result.run = [model](const Example& inputs) { return model.Model::predict_outputs(inputs); };
  result.inputs_of = [model](const BatchEncoding& batch) { return model.inputs_of(batch); };
  result.folder = folder;
  if (scores_classes(task)) result.labels = config.labels().names;
  // That of a model of sounds is no picture's.
  const bool sees =
      std::any_of(result.inputs.begin(), result.inputs.end(),
                  [](const NetworkPort& port) { return port.name == "pixel_values"; });
  if (sees && io::exists(inside(folder, "preprocessor_config.json"))) {
    result.prepare_picture = [processor = AutoImageProcessor::from_pretrained(folder)](
                                 std::string_view bytes) { return processor(bytes); };
  }
  return result;
}

std::string folder_of(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Under the names that the model has: the ids under the only input's, whatever it is.
Example arrays_for(const std::vector<NetworkPort>& ports, const BatchEncoding& batch) {
  Example inputs;
  for (const NetworkPort& port : ports) {
    const Literal array = ports.size() == 1 ? batch.input_ids : batch[port.name];
    inputs.set(port.name, array.convert(port.type.dtype));
  }
  return inputs;
}

}  // namespace

Predictor open_predictor(const std::string& path) {
  if (const auto config = hugging_face_config(path)) return of_hugging_face(path, *config);
  Predictor result;
  if (is_exported_model(path)) {
    const ExportedModel model(path);
    result.inputs = model.input_ports();
    result.run = [model](const Example& inputs) { return model.predict(inputs); };
  } else {
    const Model model = load_model(path, {.compile = false});
    result.inputs = model.network().input_ports();
    result.run = [model](const Example& inputs) { return model.predict_outputs(inputs); };
  }
  const bool has_tokenizer = io::exists(inside(path, "tokenizer.json"));
  result.folder = has_tokenizer ? path : folder_of(path);
  result.inputs_of = [ports = result.inputs](const BatchEncoding& batch) {
    return arrays_for(ports, batch);
  };
  return result;
}

}  // namespace tool::predict
