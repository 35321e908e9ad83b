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
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systolic/models/prepare_dataset.h"
#include "systolic/models/pretrained_config.h"
#include "systolic/text/tokenizer.h"
#include "systolic/train/model.h"

namespace systolic::inline v0 {

class PretrainedModel : public Model {
 public:
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

  // Training leaves the body's weights as they are, and those of the head alone change; false takes
  // it back. Call compile() afterwards, if fit has run.
  void freeze(bool frozen = true) const;

  // Of what a tokenizer made, those arrays that the model takes: not token_type_ids where it has no
  // types.
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

  // config.json and model.safetensors (several of it, where it is large), as `transformers` reads
  // them. Makes the folder.
  void save_pretrained(const std::string& folder,
                       SourceLocation location = SourceLocation::current()) const;

  // All outputs for inputs of the functional API: the first input, or several by name. Those that
  // are left out have their defaults.
  std::vector<Symbol> operator()(const Symbol& x,
                                 SourceLocation location = SourceLocation::current()) const;
  std::vector<Symbol> operator()(const std::vector<std::pair<std::string, Symbol>>& named,
                                 SourceLocation location = SourceLocation::current()) const;
  using Model::operator();

 private:
  PretrainedModel(Model model, std::shared_ptr<const PretrainedConfig> config, Task task)
      : Model(std::move(model)), config_(std::move(config)), task_(task) {}

  std::shared_ptr<const PretrainedConfig> config_;
  Task task_;
};

}  // namespace systolic::inline v0
