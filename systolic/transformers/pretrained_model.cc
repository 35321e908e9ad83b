#include "systolic/transformers/pretrained_model.h"

#include <algorithm>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/nn/config/dtype_policy.h"
#include "systolic/nn/layer_state.h"
#include "systolic/nn/network/adapter.h"
#include "systolic/nn/network/named_inputs.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/train/model/model_access.h"
#include "systolic/transformers/config/limits.h"
#include "systolic/transformers/generation/generate.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/speech/speech_generation.h"
#include "systolic/transformers/weights/pretrained_weights.h"
#include "systolic/transformers/weights/resize_embeddings.h"

namespace systolic::inline v0 {
namespace {

// An input that a caller omits between others: its default value, as large as x.
struct DefaultInput {
  static constexpr const char* kind = "DefaultInput";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  double value = 0;

  Tensor call(const Tensor& x, CallContext&) const { return fill(x.shape(), value, x.dtype()); }
};

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

void check_task(const Architecture& architecture, Task task, SourceLocation location,
                const std::string& folder = "") {
  const std::vector<Task> tasks = architecture.tasks();
  if (contains(tasks, task)) return;
  std::vector<std::string> known;
  for (const Task one : tasks) known.push_back(architecture.class_name(one));
  raise<Unimplemented>({.what = str("there is no ", architecture.class_name(task),
                                    folder.empty() ? "" : str(", for the model in '", folder, "'")),
                        .wanted = str("one of ", join(known)),
                        .location = location});
}

// Those of the architecture, without what a file has besides.
Config own_fields(const Architecture& architecture) {
  ConfigFields writer;
  architecture.clone()->transfer(writer);
  return writer.entries();
}

// Bounds hold for a struct that a program fills in as for a file.
void check_fields(const Architecture& architecture, SourceLocation location) {
  ConfigFields reader(own_fields(architecture),
                      str("a ", architecture.model_type(), " configuration"), location);
  architecture.clone()->transfer(reader);
}

constexpr const char *positions_input = "position_ids", *vectors_input = "inputs_embeds";

// The optional inputs that are asked for, in the architecture's order.
std::vector<InputOptions> asked_for(const Architecture& architecture,
                                    const std::vector<std::string>& names,
                                    SourceLocation location) {
  std::vector<InputOptions> result;
  std::vector<std::string> known;
  size_t found = 0;
  for (const InputOptions& one : architecture.optional_inputs()) {
    known.push_back(one.name);
    if (contains(names, one.name)) result.push_back(one);
  }
  if (architecture.words_size() > 0) {
    known.emplace_back(vectors_input);
    if (contains(names, known.back())) found = 1;
  }
  found += result.size();
  if (found == names.size()) return result;
  raise<InvalidArgument>(
      {.what = str("optional_inputs of a ", architecture.model_type(), " model: ", join(names)),
       .wanted = known.empty() ? "none" : str("some of ", join(known), ", each once"),
       .location = location});
}

// The architecture's inputs, those of them that are asked for in another form changed.
std::vector<InputOptions> inputs_as_asked(const Architecture& architecture, Task task,
                                          const PretrainedOptions& options,
                                          SourceLocation location) {
  std::vector<InputOptions> inputs = architecture.inputs(task);
  if (contains(options.optional_inputs, std::string(vectors_input)))
    inputs[0] = {.shape = Shape{-1, architecture.words_size()}, .name = vectors_input};
  if (options.attention_mask_rank == 2) return inputs;
  const bool masks_pairs = architecture.masks_pairs();
  if (options.attention_mask_rank != 3 || !masks_pairs) {
    raise<InvalidArgument>({.what = str("attention_mask_rank = ", options.attention_mask_rank,
                                        " of a ", architecture.model_type(), " model"),
                            .wanted = masks_pairs ? "2 or 3" : "2",
                            .location = location});
  }
  inputs[1] = {.shape = Shape{-1, -1}, .dtype = DType::i32, .name = inputs[1].name};
  return inputs;
}

// "bert_for_masked_lm", "vit_for_image_classification": the model's type as config.json has it, and
// the class.
std::string network_name(const Architecture& architecture, Task task) {
  const auto prefix_size =
      architecture.class_name(Task::features).size() - class_suffix(Task::features).size();
  std::string type = architecture.model_type();
  std::replace(type.begin(), type.end(), '-', '_');
  return str(type, "_", snake_case(architecture.class_name(task).substr(prefix_size)));
}

// pixel_values of any height and width, whose positions are interpolated.
InputOptions of_any_size(InputOptions pixels, const Architecture& architecture,
                         SourceLocation location) {
  if (!architecture.interpolates_positions()) {
    raise<InvalidArgument>(
        {.what = str("interpolate_pos_encoding = true of a ", architecture.model_type(), " model"),
         .wanted = "a model of pictures that has positions, such as ViT or CLIP",
         .location = location});
  }
  if (pixels.name == "pixel_values") pixels.shape = Shape{-1, -1, pixels.shape.get()[-1]};
  return pixels;
}

// The outputs of the task, then those that are asked for besides.
std::vector<Symbol> all_outputs(const Architecture& architecture, const BuildArguments& arguments,
                                SourceLocation location) {
  std::vector<Symbol> outputs = architecture.build(arguments);
  const auto& [request, recorded] = *arguments.asked;
  if ((request.hidden_states || request.attentions) && recorded.empty()) {
    raise<Unimplemented>(
        {.what = str("output_hidden_states or output_attentions of a ",
                     architecture.class_name(arguments.task)),
         .wanted = "a model whose layers are alike, such as BERT, GPT-2, ViT or T5",
         .location = location});
  }
  outputs.insert(outputs.end(), recorded.begin(), recorded.end());
  return outputs;
}

Network make_network(const PretrainedConfig& config, Task task, const PretrainedOptions& options,
                     SourceLocation location) {
  const Architecture& architecture = config.architecture();
  const auto asks_for = [&](const char* name) {
    return contains(options.optional_inputs, std::string(name));
  };
  BuildArguments arguments{.task = task,
                           .inputs = {},
                           .optional_inputs = {},
                           .labels = config.labels(),
                           .ties_word_embeddings = config.ties_word_embeddings(),
                           .add_pooling_layer = options.add_pooling_layer,
                           .interpolate_pos_encoding = options.interpolate_pos_encoding};
  arguments.asked = std::make_shared<AskedOutputs>(
      AskedOutputs{.request = {.hidden_states = options.output_hidden_states,
                               .attentions = options.output_attentions,
                               .position_ids = asks_for(positions_input),
                               .inputs_embeds = asks_for(vectors_input),
                               .mask_of_pairs = options.attention_mask_rank == 3,
                               .gradient_checkpointing = options.gradient_checkpointing ||
                                                         config.gradient_checkpointing()}});
  const std::vector<InputOptions> besides =
      asked_for(architecture, options.optional_inputs, location);
  for (const InputOptions& one : inputs_as_asked(architecture, task, options, location)) {
    arguments.inputs.push_back(
        input(options.interpolate_pos_encoding ? of_any_size(one, architecture, location) : one,
              location));
  }
  for (const InputOptions& one : besides) {
    arguments.inputs.push_back(input(one, location));
    arguments.optional_inputs.push_back(one.name);
  }
  Network network(arguments.inputs, all_outputs(architecture, arguments, location),
                  {.name = network_name(architecture, task)}, location);
  network.state()->user_line = location;
  return network;
}

PretrainedWeightsOptions load_options(const PretrainedConfig& config, Task task,
                                      SourceLocation location) {
  const Architecture& architecture = config.architecture();
  PretrainedWeightsOptions load{.class_name = architecture.class_name(task),
                                .body_name = architecture.body_name(),
                                .body_layers = architecture.body_layers(task),
                                .names = architecture.weight_names(),
                                .location = location};
  if (!config.ties_word_embeddings()) load.names.copies.clear();
  return load;
}

// What the architecture's is_decoder is; none where it has no such field.
std::optional<bool> is_decoder(const Architecture& architecture) {
  const Config fields = own_fields(architecture);
  const Config* field = fields.find("is_decoder");
  return field == nullptr ? std::nullopt : std::optional(field->boolean());
}

constexpr const char* as_decoder =
    "{.config = {{\"is_decoder\", true}}} makes it read from left to right";

// As transformers does: it computes, but a causal model sees what it is to predict, and a masked
// one does not see what comes after.
void warn_of_direction(const Architecture& architecture, Task task) {
  const std::optional<bool> decoder = is_decoder(architecture);
  if (task == Task::masked_lm && decoder == true) {
    log_warning(str(architecture.class_name(task),
                    ": is_decoder is true, so no token sees those after it; ",
                    "{.config = {{\"is_decoder\", false}}} lets it"));
  }
  if (task == Task::causal_lm && decoder == false) {
    log_warning(str(architecture.class_name(task),
                    ": is_decoder is false, so each token sees those after it too; ", as_decoder));
  }
}

// As transformers does: a head that has other numbers than the word embeddings is its own.
void untie_if_weights_differ(PretrainedConfig& config, const std::string& folder, Task task,
                             SourceLocation location) {
  const bool has_head =
      task == Task::masked_lm || task == Task::causal_lm || task == Task::seq2seq_lm;
  if (!has_head || !config.ties_word_embeddings()) return;
  const PretrainedWeightsOptions load = load_options(config, task, location);
  if (!has_untied_copies(folder, load)) return;
  log_info(str(load.class_name, ": the head's weights in ", folder,
               " are not those of the word embeddings, so they are not tied as config.json has "
               "it. tie_word_embeddings = false says so."));
  config.set_fields({{"tie_word_embeddings", false}}, location);
}

}  // namespace

PretrainedModel PretrainedModel::from_config(PretrainedConfig config, Task task,
                                             const PretrainedOptions& options,
                                             SourceLocation location) {
  config.set_fields(options.config, location);
  config.set_labels(options, location);
  check_fields(config.architecture(), location);
  check_task(config.architecture(), task, location);
  warn_of_direction(config.architecture(), task);
  Model model = make_network(config, task, options, location);
  bring_loss(model, config.architecture().loss(task, config.labels()));
  PretrainedModel result(std::move(model), std::make_shared<PretrainedConfig>(std::move(config)),
                         task, options);
  if (result.generates()) result.generation_ = std::make_shared<Generation>();
  return result;
}

PretrainedModel PretrainedModel::from_pretrained(const std::string& folder, PretrainedConfig config,
                                                 Task task, const PretrainedOptions& options,
                                                 SourceLocation location) {
  check_task(config.architecture(), task, location, folder);
  untie_if_weights_differ(config, folder, task, location);
  PretrainedModel model = from_config(std::move(config), task, options, location);
  PretrainedWeightsOptions load = load_options(model.config(), task, location);
  load.ignore_mismatched_sizes = options.ignore_mismatched_sizes;
  load_pretrained_weights(model.network(), folder, load);
  if (model.generates()) model.generation_ = read_generation(folder, location);
  return model;
}

PretrainedModel PretrainedModel::from_pretrained(const std::string& folder, Task task,
                                                 const PretrainedOptions& options,
                                                 SourceLocation location) {
  PretrainedConfig config = PretrainedConfig::from_pretrained(folder, options.config, location);
  task = config.auto_task(task);
  return from_pretrained(folder, std::move(config), task, options, location);
}

std::string PretrainedModel::class_name() const {
  return config_->architecture().class_name(task_);
}

std::vector<std::string> PretrainedModel::input_names() const {
  std::vector<std::string> names;
  for (const NetworkPort& port : network().input_ports()) names.push_back(port.name);
  return names;
}

Example PretrainedModel::inputs_of(const BatchEncoding& batch) const {
  Example inputs;
  for (const auto& [name, array] : batch.arrays()) {
    if (contains(input_names(), name)) inputs.set(name, array);
  }
  return inputs;
}

void PretrainedModel::warn_of_order(const PreparedDataset& prepared) {
  if (prepared.in_order) return;
  log_once(LogLevel::warning,
           "predict: prepare_dataset put these samples into another order, and what is predicted "
           "comes in that; prepare_dataset(dataset, tokenizer, {.shuffle = false}), without "
           ".buckets, keeps the texts' own");
}

bool PretrainedModel::generates() const {
  const bool writes = task_ == Task::causal_lm || task_ == Task::seq2seq_lm;
  return writes && config_->architecture().decoder();
}

Literal PretrainedModel::generate(const ModelArrays& prompts, const GenerationConfig& options,
                                  SourceLocation location) const {
  if (!generates()) {
    const bool no_decoder =
        task_ == Task::causal_lm && is_decoder(config_->architecture()) == false;
    raise<InvalidArgument>(
        {.what =
             str("generate of a ", class_name(), no_decoder ? " whose is_decoder is false" : ""),
         .wanted = no_decoder ? "one that reads from left to right"
                              : "a causal language model, such as GPT2LMHeadModel",
         .hint = no_decoder ? as_decoder : "",
         .location = location});
  }
  const Architecture& architecture = config_->architecture();
  const Config entries = config_->entries(task_);
  if (hears(architecture))
    return run_speech_generation(*generation_, *this, architecture, entries, prompts, options,
                                 false, location)
        .ids();
  const PretrainedModel* drafts = options.assistant_model;
  if (drafts == nullptr)
    return run_generation(*generation_, *this, architecture, entries, prompts, options, location);
  if (!drafts->generates()) {
    raise<InvalidArgument>(
        {.what = str("generate with a ", drafts->class_name(), " as its assistant"),
         .wanted = "a causal language model, such as GPT2LMHeadModel",
         .location = location});
  }
  const Assistant assistant{*drafts, drafts->config().architecture(), drafts->generation_->network};
  return run_generation(*generation_, *this, architecture, entries, prompts, options, location,
                        &assistant);
}

Example PretrainedModel::generate_with_times(const ModelArrays& sounds,
                                             const GenerationConfig& options,
                                             SourceLocation location) const {
  const Architecture& architecture = config_->architecture();
  if (!generates() || !hears(architecture)) {
    raise<InvalidArgument>({.what = str("generate_with_times of a ", class_name()),
                            .wanted = "a model of sound, such as WhisperForConditionalGeneration",
                            .location = location});
  }
  const HeardSounds heard = run_speech_generation(
      *generation_, *this, architecture, config_->entries(task_), sounds, options, true, location);
  return {{"sequences", heard.ids()}, {"token_timestamps", heard.times()}};
}

void PretrainedModel::freeze(bool frozen) const {
  change_layers(*this, [&] {
    for (const std::string& layer : config_->architecture().body_layers(task_))
      network().layer(layer).set_trainable(!frozen);
  });
}

namespace {

constexpr const char* vocabulary_field = "vocab_size";

int64_t checked_tokens(const PretrainedModel& model, int64_t tokens, const ResizeOptions& options,
                       SourceLocation location) {
  const std::string what = str("resize_token_embeddings(", tokens, ") of a ", model.class_name());
  if (model.config().entries(model.task()).find(vocabulary_field) == nullptr)
    raise<InvalidArgument>({.what = what,
                            .wanted = "a model of texts",
                            .hint = "a model of pictures has no table of tokens",
                            .location = location});
  const int64_t multiple = options.pad_to_multiple_of;
  const bool fits = tokens >= 1 && tokens <= limits::vocabulary;
  if (fits && multiple >= 1 && multiple <= limits::vocabulary) {
    const int64_t rounded = (tokens + multiple - 1) / multiple * multiple;
    if (rounded <= limits::vocabulary) return rounded;
  }
  raise<InvalidArgument>(
      {.what = str(what, ", pad_to_multiple_of = ", multiple),
       .wanted = str("1 to ", limits::vocabulary, " tokens, and a multiple of 1 or more"),
       .hint = "resize_token_embeddings(tokenizer.vocab_size())",
       .location = location});
}

}  // namespace

void PretrainedModel::resize_token_embeddings(int64_t tokens, const ResizeOptions& options,
                                              SourceLocation location) {
  check_no_adapters("resize_token_embeddings", location);
  PretrainedConfig config = *config_;
  config.set_fields({{vocabulary_field, checked_tokens(*this, tokens, options, location)}},
                    location);
  const Network resized = [&] {
    // The one that was in force when the model was made.
    const DTypePolicyScope policy(network().state()->policy);
    return make_network(config, task_, options_, network().state()->user_line);
  }();
  take_weights(resized, network(), options.mean_resizing);
  replace_network(*this, resized, "resize_token_embeddings()", [&] {
    *config_ = std::move(config);
    forget_generation();
  });
}

void PretrainedModel::forget_generation() const {
  if (generation_ == nullptr) return;
  const std::lock_guard generation_lock(generation_->mutex);
  generation_->programs = GeneratePrograms();
  generation_->readings = GeneratePrograms();
  generation_->network = std::make_shared<const int>(0);
}

void PretrainedModel::change_network(const std::string& by,
                                     const std::function<void()>& change) const {
  replace_network(*this, network(), by, [&] {
    change();
    forget_generation();
  });
}

void PretrainedModel::check_no_adapters(const std::string& what, SourceLocation location) const {
  if (!has_adapters(network())) return;
  raise<FailedPrecondition>(
      {.what = str(what, " of a ", class_name(), " with adapters"),
       .hint = "save the adapters alone by the PeftModel's save_pretrained, or have its "
               "merge_and_unload() add them to the weights first",
       .location = location});
}

void PretrainedModel::save_pretrained(const std::string& folder,
                                      const SavePretrainedOptions& options,
                                      SourceLocation location) const {
  if (folder.empty())
    raise<InvalidArgument>(
        {.what = "save_pretrained to a folder without a name", .location = location});
  if (options.dtype != DType::f32 && options.dtype != DType::bf16 && options.dtype != DType::f16) {
    raise<InvalidArgument>({.what = str("save_pretrained as ", options.dtype),
                            .wanted = "f32, bf16 or f16",
                            .location = location});
  }
  check_no_adapters("save_pretrained", location);
  io::make_folder(folder, location);
  // All files are written before the first gets its name: a failed write leaves an earlier save as
  // it was.
  std::vector<io::AtomicFile> texts;
  const auto write = [&](const std::string& path, const Config& entries) {
    texts.emplace_back(path, location);
    texts.back().write(entries.text() + "\n");
  };
  const std::string generation = folder + "/generation_config.json";
  write(folder + "/config.json", config_->entries(task_, options.dtype));
  if (generates() && generation_->has_file) write(generation, generation_->entries);
  save_pretrained_weights(network(), folder, load_options(*config_, task_, location),
                          task_ == Task::features, options);
  for (io::AtomicFile& text : texts) text.commit();
  // Left by a model that was saved there before.
  if (generates() && !generation_->has_file && io::exists(generation, location))
    io::file_system(folder, location).remove(generation, location);
}

const Symbol& OutputSymbols::operator[](size_t i) const {
  if (i < size()) return symbols_[i];
  raise<InvalidArgument>(
      {.what = str("output [", i, "] of a ", model_),
       .got = size() == 1 ? "one output, [0]" : str(size(), " outputs, from [0] on"),
       .hint = size() == 1 ? "it has no pooler: [0][{all, 0}] is the first token's "
                             "vector"
                           : "",
       .location = location_});
}

OutputSymbols PretrainedModel::operator()(const Symbol& x, SourceLocation location) const {
  return {Layer(network()).outputs({x}, location), class_name(), location};
}

OutputSymbols PretrainedModel::operator()(const std::vector<std::pair<std::string, Symbol>>& named,
                                          SourceLocation location) const {
  const std::vector<Symbol> inputs = inputs_by_name(
      network().input_ports(), named, OtherNames::refused, class_name(),
      [&](const NetworkPort& port, const Symbol& first) {
        return Layer(DefaultInput{*port.rules.default_value})(first, location);
      },
      location);
  return {Layer(network()).outputs(inputs, location), class_name(), location};
}

}  // namespace systolic::inline v0
