// A Model with the weights and the configuration of a folder, as `transformers` saves them.
//
//   PretrainedModel model = AutoModelForSequenceClassification::from_pretrained("bert/",
//                                                                               {.num_labels = 2});
//   model.compile({.optimizer = AdamW{.learning_rate = 3e-5}});   // the loss is the model's own
//   model.fit(train, {.epochs = 3});
//   model.save_pretrained("tuned/");
//
// It takes batches and arrays by the names of its inputs: {"input_ids", ids}, {"attention_mask",
// mask}; those that have a default may be left out. Labels come with the inputs or as y. What
// Hugging Face's model gives as `logits` is the output, in f32 whatever it computes in.
//
// It is a handle as Model is, and a layer of other models:
//
//   PretrainedModel bert = AutoModel::from_pretrained("bert/");
//   Symbol ids = input({.shape = {128}, .dtype = DType::i32, .name = "input_ids"});
//   Symbol toxic = Dense{.units = 1, .activation = "sigmoid"}(bert(ids)[0][{all, 0}]);
//   Model classifier(ids, toxic);
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/text/tokenizer.h"
#include "systolic/train/model/model.h"
#include "systolic/transformers/generation/generation_config.h"
#include "systolic/transformers/prepare_dataset.h"
#include "systolic/transformers/pretrained_config.h"
#include "systolic/transformers/weights/save_pretrained_options.h"

namespace systolic::inline v0 {

struct Generation;

// A model's outputs in the functional API, in order: for an encoder the last hidden state, then its
// pooler's output, where it has one.
class OutputSymbols {
 public:
  OutputSymbols(std::vector<Symbol> symbols, std::string model, SourceLocation location)
      : symbols_(std::move(symbols)), model_(std::move(model)), location_(location) {}

  // InvalidArgument, saying how many there are, beyond the last one.
  const Symbol& operator[](size_t i) const;
  size_t size() const { return symbols_.size(); }
  auto begin() const { return symbols_.begin(); }
  auto end() const { return symbols_.end(); }
  operator const std::vector<Symbol>&() const { return symbols_; }  // NOLINT: what they are

 private:
  std::vector<Symbol> symbols_;
  std::string model_;
  SourceLocation location_;
};

struct ResizeOptions {
  int64_t pad_to_multiple_of = 1;  // the number of tokens is rounded up to one
  // New vectors are drawn near the mean of those that there are, from a normal distribution of 1e-9
  // times their covariance; false: as in a model without training, from that of
  // `initializer_range`.
  bool mean_resizing = true;
};

class PretrainedModel : public Model {
 public:
  // A handle that was moved from still holds on: moving copies.
  PretrainedModel(const PretrainedModel&) = default;
  PretrainedModel& operator=(const PretrainedModel&) = default;
  // With fresh weights.
  static PretrainedModel from_config(PretrainedConfig config, Task task,
                                     const PretrainedOptions& options, SourceLocation location);
  static PretrainedModel from_pretrained(const std::string& folder, Task task,
                                         const PretrainedOptions& options, SourceLocation location);
  static PretrainedModel from_pretrained(const std::string& folder, PretrainedConfig config,
                                         Task task, const PretrainedOptions& options,
                                         SourceLocation location);

  const PretrainedConfig& config() const { return *config_; }
  Task task() const { return task_; }
  // "BertForSequenceClassification"
  std::string class_name() const;
  // In order: what a dataset's columns are picked by.
  std::vector<std::string> input_names() const;

  // Training leaves the body's weights as they are and changes those of the head alone; false
  // undoes it. It holds from the next fit on; for a model that this one is a layer of, and that has
  // been fitted, after its compile().
  void freeze(bool frozen = true) const;

  // As many word embeddings as there are tokens, for a tokenizer to which some were added:
  //
  //   model.resize_token_embeddings(tokenizer.vocab_size(), {.pad_to_multiple_of = 64});
  //
  // Vectors of the tokens that stay are kept, and so are their rows of a language model's head,
  // tied or not, and of its bias. New ones begin near their mean (ResizeOptions), a tied head's
  // bias at 0. config() has the new vocab_size.
  //
  // All handles of the model see it. Call compile() afterwards: the optimizer and the programs were
  // those of the other table. Models that it is a layer of already keep the weights as they were.
  // InvalidArgument for a number below 1 and for a model without word embeddings.
  void resize_token_embeddings(int64_t tokens, const ResizeOptions& options = {},
                               SourceLocation location = SourceLocation::current());

  // The arrays that the model takes among those that a tokenizer made: no token_type_ids where it
  // has no types.
  Example inputs_of(const BatchEncoding& batch) const;
  // model.predict(tokenizer("a fine story")). Templates, so that predict({ids, mask}) stays arrays.
  template <std::same_as<BatchEncoding> Batch>
  Literal predict(const Batch& batch, const PredictOptions& options = {},
                  SourceLocation location = SourceLocation::current()) const {
    return Model::predict(inputs_of(batch), options, location);
  }
  template <std::same_as<BatchEncoding> Batch>
  Example predict_outputs(const Batch& batch, const PredictOptions& options = {},
                          SourceLocation location = SourceLocation::current()) const {
    return Model::predict_outputs(inputs_of(batch), options, location);
  }
  // For rows that prepare_dataset put into another order than the texts have: a warning, once.
  template <std::same_as<PreparedDataset> Prepared>
  Literal predict(const Prepared& prepared, const PredictOptions& options = {},
                  SourceLocation location = SourceLocation::current()) const {
    warn_of_order(prepared);
    return Model::predict(prepared.dataset, options, location);
  }
  template <std::same_as<PreparedDataset> Prepared>
  Example predict_outputs(const Prepared& prepared, const PredictOptions& options = {},
                          SourceLocation location = SourceLocation::current()) const {
    warn_of_order(prepared);
    return Model::predict_outputs(prepared.dataset, options, location);
  }
  // model.fit(tokenizer(texts, {.padding = true}), labels), and evaluate likewise.
  template <std::same_as<BatchEncoding> Batch>
  History fit(const Batch& batch, const ModelArrays& labels, const FitOptions& options = {},
              SourceLocation location = SourceLocation::current()) {
    return Model::fit(inputs_of(batch), labels, options, location);
  }
  template <std::same_as<BatchEncoding> Batch>
  Evaluation evaluate(const Batch& batch, const ModelArrays& labels,
                      const EvaluateOptions& options = {},
                      SourceLocation location = SourceLocation::current()) {
    return Model::evaluate(inputs_of(batch), labels, options, location);
  }
  using Model::evaluate;
  using Model::fit;
  using Model::predict;
  using Model::predict_outputs;

  // Batches of what the model takes, from texts (prepare_tf_dataset): prepare_dataset of the same.
  PreparedDataset prepare_dataset(const data::Dataset& dataset, const Tokenizer& tokenizer,
                                  PrepareOptions options = {},
                                  SourceLocation location = SourceLocation::current()) const;

  // A causal language model's prompts and what comes next, i32 [batch, tokens + new tokens]:
  //
  //   model.generate(tokenizer(texts, {.padding = true}), {.max_new_tokens = 40})
  //
  // The prompts are `input_ids` [batch, tokens] and perhaps `attention_mask`, shorter ones padded
  // in front. Each ends after its first eos_token_id, with pad_token_id in the rest of its row; the
  // array ends where the last text does. The ids are those of transformers' generate, except where
  // tokens are drawn. The defaults of options are those of generation_config.json.
  //
  // One program runs the prompts at once and then a loop on the device; the number of rows, and the
  // lengths, rounded up to few, make a new one. InvalidArgument for other models, for prompts that
  // are empty or leave too few positions after them, and for options out of bounds.
  Literal generate(const ModelArrays& prompts, const GenerationConfig& options = {},
                   SourceLocation location = SourceLocation::current()) const;
  template <std::same_as<BatchEncoding> Batch>
  Literal generate(const Batch& batch, const GenerationConfig& options = {},
                   SourceLocation location = SourceLocation::current()) const {
    return generate(ModelArrays(inputs_of(batch)), options, location);
  }

  // What generate() writes about sounds, and when each token was said, by where the decoder looked
  // (transformers' return_token_timestamps): {"sequences", i32 [sounds, tokens], and
  // "token_timestamps", f32 likewise, seconds}. Beside generate()'s errors an InvalidArgument for
  // models of texts, and for a generation_config.json without alignment_heads. An attention_mask
  // says where a sound ends, which makes the times better.
  //
  //   model.generate_with_times(extractor({sound}, {.return_attention_mask = true}))
  Example generate_with_times(const ModelArrays& sounds, const GenerationConfig& options = {},
                              SourceLocation location = SourceLocation::current()) const;

  // config.json and model.safetensors (several, where it is large), as `transformers` reads them,
  // and for a model that generates generation_config.json: where it has none, one that lies there
  // is removed. Makes the folder. Files get their names after all of them are written: where one
  // cannot be, what lies there stays.
  void save_pretrained(const std::string& folder, const SavePretrainedOptions& options = {},
                       SourceLocation location = SourceLocation::current()) const;

  // All outputs for inputs of the functional API: the first input, or several by name. Those that
  // are left out have their defaults.
  OutputSymbols operator()(const Symbol& x,
                           SourceLocation location = SourceLocation::current()) const;
  OutputSymbols operator()(const std::vector<std::pair<std::string, Symbol>>& named,
                           SourceLocation location = SourceLocation::current()) const;
  using Model::operator();

 private:
  friend class PeftModel;
  PretrainedModel(Model model, std::shared_ptr<PretrainedConfig> config, Task task,
                  PretrainedOptions options)
      : Model(std::move(model)),
        config_(std::move(config)),
        task_(task),
        options_(std::move(options)) {}
  bool generates() const;
  // Changes what layers compute: takes back compile() and forgets all programs. `by` is for errors.
  void change_network(const std::string& by, const std::function<void()>& change) const;
  void forget_generation() const;  // its programs
  void check_no_adapters(const std::string& what, SourceLocation location) const;
  static void warn_of_order(const PreparedDataset& prepared);

  std::shared_ptr<PretrainedConfig> config_;  // of all handles, as the network is
  Task task_;
  PretrainedOptions options_;               // that the network was built with
  std::shared_ptr<Generation> generation_;  // of a model that generates
};

}  // namespace systolic::inline v0
