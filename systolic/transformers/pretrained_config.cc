#include "systolic/transformers/pretrained_config.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/folder_without.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t most_labels = 1'000'000;
const std::vector<std::string> problem_types = {"regression", "single_label_classification",
                                                "multi_label_classification"};

// What this file reads itself, besides the architecture's fields.
const std::vector<std::string> fields_of_all_models = {
    "architectures", "model_type", "id2label",    "label2id",     "num_labels",   "problem_type",
    "torch_dtype",   "dtype",      "_num_labels", "name_or_path", "_name_or_path"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// {"0": "negative", "1": "positive"}, in any order.
std::vector<std::string> label_names(const Config& map, const ConfigFields& fields) {
  const std::string wanted = "an object {\"0\": \"first name\", \"1\": \"second name\", ...}";
  if (!map.is_map()) fields.fail("id2label", map.text().substr(0, 80), wanted);
  const size_t count = map.map().size();
  if (count == 0) fields.fail("id2label", "an empty object", wanted);
  std::vector<std::string> names(count);
  std::vector<bool> seen(count);
  for (const auto& [key, name] : map.map()) {
    const bool number =
        !key.empty() && key.size() < 8 &&
        std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; });
    const size_t at = number ? std::stoul(key) : count;
    if (at >= count || seen[at] || !name.is_text())
      fields.fail("id2label", str("the entry \"", key.substr(0, 80), "\""), wanted);
    seen[at] = true;
    names[at] = name.text_value();
  }
  return names;
}

void read_labels(ConfigFields& fields, Labels& labels) {
  int64_t count = labels.count();
  fields.integer("num_labels", count, 1, most_labels);
  if (count != labels.count()) labels.names = Labels::numbered(count);
  const Config* map = fields.entries().find("id2label");
  if (map != nullptr && !map->is_null()) labels.names = label_names(*map, fields);
  const Config* type = fields.entries().find("problem_type");
  if (type != nullptr && !type->is_null()) {
    fields.choice("problem_type", labels.problem_type, problem_types);
  }
}

// Weights that are not what the other fields say: read as if they were, the model would be wrong.
void refuse_changed_weights(ConfigFields& fields) {
  fields.none("pruned_heads",
              "layers lack attention heads: load the checkpoint from before heads were pruned");
  fields.none("quantization_config",
              "save it in full precision with transformers first: "
              "model.dequantize().save_pretrained(folder)");
}

// What `architectures` lists; anything else there is of no use.
std::vector<std::string> class_names(const Config& entries) {
  std::vector<std::string> names;
  const Config* listed = entries.find("architectures");
  if (listed == nullptr || !listed->is_list()) return names;
  for (const Config& name : listed->list()) {
    if (name.is_text()) names.push_back(name.text_value());
  }
  return names;
}

void check_known(const Config::Map& fields, const ConfigFields& reader,
                 const std::string& model_type, SourceLocation location) {
  const std::vector<std::string>& known = reader.names();
  for (const auto& field : fields) {
    const bool listed = contains(known, field.first) || contains(fields_of_all_models, field.first);
    if (listed || contains(reader.only_names(), field.first)) continue;
    const std::vector<std::string> closest = closest_names(field.first, known);
    raise<NotFound>(
        {.what = str("a ", model_type, " configuration has no field '", field.first, "'"),
         .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'"),
         .location = location});
  }
}

}  // namespace

PretrainedConfig PretrainedConfig::from_pretrained(const std::string& folder,
                                                   const Config::Map& fields,
                                                   SourceLocation location) {
  const std::string path = str(folder, "/config.json");
  if (!io::exists(path, location))
    io::raise_folder_without("model", folder, "config.json and weights", location);
  const Config file = read_config_file(path, location);
  if (!file.is_map()) ConfigFields(file, path, location);
  ConfigFields reader(file, fields, path, location);
  if (reader.entries().find("model_type") == nullptr)
    reader.fail("model_type", "none", "the name of an architecture, such as \"bert\"");
  std::string model_type;
  reader.text("model_type", model_type);
  PretrainedConfig config;
  try {
    config.architecture_ = architecture_of(model_type, location);
  } catch (const Error& error) {
    error.rethrow_within(path, location);
  }
  config.ties_word_embeddings_ = config.architecture_->ties_word_embeddings();
  config.read(reader, fields, location);
  config.class_names_ = class_names(reader.entries());
  for (const auto& entry : reader.entries().map()) {
    if (!contains(reader.names(), entry.first) && !contains(fields_of_all_models, entry.first))
      config.others_.push_back(entry);
  }
  return config;
}

void PretrainedConfig::read(ConfigFields& reader, const Config::Map& fields,
                            SourceLocation location) {
  architecture_->transfer(reader);
  refuse_changed_weights(reader);
  read_labels(reader, labels_);
  reader.boolean("tie_word_embeddings", ties_word_embeddings_);
  reader.boolean("gradient_checkpointing", gradient_checkpointing_);
  check_known(fields, reader, model_type(), location);
}

void PretrainedConfig::set_fields(const Config::Map& fields, SourceLocation location) {
  if (fields.empty()) return;
  ConfigFields writer;
  architecture_ = architecture_->clone();  // copies of this configuration keep theirs
  architecture_->transfer(writer);
  ConfigFields reader(writer.entries(), fields, str("a ", model_type(), " configuration"),
                      location);
  read(reader, fields, location);
}

void PretrainedConfig::set_labels(const PretrainedOptions& options, SourceLocation location) {
  if (!options.problem_type.empty()) {
    if (!contains(problem_types, options.problem_type)) {
      raise<InvalidArgument>({.what = str("problem_type \"", options.problem_type, "\""),
                              .wanted = str("one of ", join(problem_types)),
                              .location = location});
    }
    labels_.problem_type = options.problem_type;
  }
  const auto named = static_cast<int64_t>(options.id2label.size());
  if (named > 0 && options.num_labels && *options.num_labels != named) {
    raise<InvalidArgument>({.what = str("num_labels = ", *options.num_labels, " with ", named,
                                        named == 1 ? " name" : " names", " in id2label"),
                            .wanted = "as many of each, or one of them",
                            .location = location});
  }
  if (!options.id2label.empty()) {
    labels_.names = options.id2label;
  } else if (options.num_labels && *options.num_labels != labels_.count()) {
    if (*options.num_labels < 1 || *options.num_labels > most_labels) {
      raise<InvalidArgument>({.what = str("num_labels = ", *options.num_labels),
                              .wanted = str("1 to ", most_labels),
                              .location = location});
    }
    labels_.names = Labels::numbered(*options.num_labels);
  }
}

void PretrainedConfig::take_part(const std::string& model_type) {
  std::shared_ptr<Architecture> part = architecture_->part(model_type);
  if (part == nullptr) return;
  architecture_ = std::move(part);
  others_.clear();
}

void PretrainedConfig::check_model_type(const std::string& wanted, const std::string& folder,
                                        SourceLocation location) const {
  if (model_type() == wanted) return;
  raise<InvalidArgument>({.what = str(folder, " holds a ", model_type(), " model"),
                          .wanted = str("a ", wanted, " model"),
                          .hint = "the Auto classes take the architecture from the folder",
                          .location = location});
}

Task PretrainedConfig::auto_task(Task task) const {
  if (task != Task::image_classification) return task;
  const std::vector<Task> tasks = architecture_->tasks();
  for (const std::string& name : class_names_) {
    for (const Task one : {task, Task::image_classification_with_teacher}) {
      const bool has = std::find(tasks.begin(), tasks.end(), one) != tasks.end();
      if (has && architecture_->class_name(one) == name) return one;
    }
  }
  return task;
}

Config PretrainedConfig::entries(Task task, DType dtype) const {
  Config result;
  result.set("architectures", Config::List{architecture_->class_name(task)});
  result.set("model_type", model_type());
  ConfigFields writer;
  architecture_->clone()->transfer(writer);
  for (const auto& [name, value] : writer.entries().map()) result.set(name, value);
  Config id2label{Config::Map{}}, label2id{Config::Map{}};
  for (size_t i = 0; i < labels_.names.size(); ++i) {
    id2label.set(str(i), labels_.names[i]);
    label2id.set(labels_.names[i], i);
  }
  result.set("id2label", std::move(id2label));
  result.set("label2id", std::move(label2id));
  if (!labels_.problem_type.empty()) result.set("problem_type", labels_.problem_type);
  result.set("dtype", dtype == DType::bf16  ? "bfloat16"
                      : dtype == DType::f16 ? "float16"
                                            : "float32");
  if (ties_word_embeddings_ != architecture_->ties_word_embeddings())
    result.set("tie_word_embeddings", ties_word_embeddings_);
  // As in transformers: one that asks for it has had its effect, and is not written.
  if (gradient_checkpointing_ == false) result.set("gradient_checkpointing", false);
  for (const auto& [name, value] : others_) result.set(name, value);
  return result;
}

}  // namespace systolic::inline v0
