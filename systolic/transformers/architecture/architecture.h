// A kind of pretrained model: BERT, DistilBERT, ... An architecture is its configuration, a plain
// aggregate with the names and defaults of its config.json, and with
//
//   static constexpr const char* model_type = "bert";    in config.json
//   static constexpr const char* class_prefix = "Bert";  of BertModel, BertForMaskedLM
//   static constexpr const char* body_name = "bert";     in front of its body's weights
//   static std::vector<Task> tasks();                    those that it has heads for
//   void transfer(ConfigFields& fields);                 names its fields
//   std::vector<InputOptions> inputs() const;            in the order of the body's inputs
//   std::vector<Symbol> build(const BuildArguments& arguments) const;   the outputs of a task
// and, where it needs them,
//   static WeightNames weight_names();                   or not static, where files differ by it
//   static std::string class_name(Task task);
//   std::vector<InputOptions> inputs(Task task) const;   instead, where tasks differ
//   int64_t words_size() const;   of a token's vector: texts may come as vectors, and, without
//                                   optional_inputs() of its own, with position_ids
//   static constexpr bool masks_pairs = false;   such texts take a mask of rank 2 alone
//   std::vector<InputOptions> optional_inputs() const;   that PretrainedOptions may ask for
//   static OwnLoss loss(Task task, const Labels& labels);   where it is not task_loss()
//   static constexpr bool ties_word_embeddings = false;   where config.json need not say so
//   static std::vector<std::string> body_layers();   the network's layers of its body, where they
//                                                    are several; of a task where that decides; or
//                                                    not static, where files differ by it
//   std::unique_ptr<Architecture> part(const std::string& model_type) const;   of one that holds
//                                   others, such as CLIP's text model; null where it has none
//   std::optional<InputOfLabels> input_of_labels(Task task) const;   OwnLoss::input_of_labels
//   static constexpr bool interpolates_positions = true;   pictures may have another size than
//                                                    image_size
//   int64_t max_tokens() const;   a text may have, where it is not max_position_embeddings
//   GenerationSpec decoder() const;   where generate() is to run its causal language model; or an
//                                   optional one, empty where this configuration cannot generate
//
// Layers have the names that the weights have in checkpoints, see weight_names.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/symbol.h"
#include "systolic/transformers/config/config_fields.h"
#include "systolic/transformers/config/generation_spec.h"
#include "systolic/transformers/config/task.h"
#include "systolic/transformers/config/weight_names.h"

namespace systolic::inline v0 {

struct AskedOutputs;

// What the outputs of a task are made of.
struct BuildArguments {
  Task task = Task::features;
  std::vector<Symbol> inputs;  // inputs(), then some of optional_inputs(), in their order
  std::vector<std::string> optional_inputs = {};  // the names of the latter
  Labels labels;
  bool ties_word_embeddings = true;       // a language model scores tokens by their vectors
  bool add_pooling_layer = true;          // of AutoModel
  bool interpolate_pos_encoding = false;  // pixel_values have any size
  // What is asked for besides: layers/asked_body.h. Null: nothing.
  std::shared_ptr<AskedOutputs> asked = {};

  // What a body gives for the inputs, or for others. What its layers are asked for besides is named
  // after the half of an encoder-decoder that they are in, "encoder_" or "decoder_".
  std::vector<Symbol> features(const Layer& body) const;
  std::vector<Symbol> features(const Layer& body, const std::vector<Symbol>& given,
                               const char* half = "") const;
};

// An architecture of any kind.
class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual std::string model_type() const = 0;
  virtual std::string class_name(Task task) const = 0;
  virtual std::string body_name() const = 0;
  // By these names the body's layers stand in the network; before those in a file, "body_name.".
  virtual std::vector<std::string> body_layers(Task task) const = 0;
  // One that it holds, by its model_type; null where it has none.
  virtual std::unique_ptr<Architecture> part(const std::string& model_type) const = 0;
  virtual std::vector<Task> tasks() const = 0;
  virtual void transfer(ConfigFields& fields) = 0;
  virtual std::vector<InputOptions> inputs(Task task) const = 0;
  virtual std::vector<InputOptions> optional_inputs() const = 0;
  // A token's vector has this many numbers, where it may be given in place of an id; else 0.
  virtual int64_t words_size() const = 0;
  // Whether attention_mask may say for each pair of tokens which sees which.
  virtual bool masks_pairs() const = 0;
  virtual OwnLoss loss(Task task, const Labels& labels) const = 0;
  virtual std::vector<Symbol> build(const BuildArguments& arguments) const = 0;
  virtual WeightNames weight_names() const = 0;
  // Where config.json does not say whether a language model's head is its tokens' table.
  virtual bool ties_word_embeddings() const = 0;
  // Whether pictures may have another size than the configuration's.
  virtual bool interpolates_positions() const = 0;
  // Tokens that a text may have; 0: any number.
  virtual int64_t max_tokens() const = 0;
  virtual std::optional<GenerationSpec> decoder() const = 0;
  virtual std::unique_ptr<Architecture> clone() const = 0;
};

// The Architecture that a configuration describes, by what `Config` has of the functions listed at
// the head of this file; where it lacks one, the default here stands. Holds a copy of the
// configuration, which transfer() changes.
template <class Config>
class ArchitectureOf : public Architecture {
 public:
  explicit ArchitectureOf(Config config) : config_(std::move(config)) {}

  std::string model_type() const override { return Config::model_type; }
  std::string class_name(Task task) const override {
    if constexpr (requires { Config::class_name(task); }) return Config::class_name(task);
    return Config::class_prefix + std::string(class_suffix(task));
  }
  std::string body_name() const override { return Config::body_name; }
  std::vector<std::string> body_layers([[maybe_unused]] Task task) const override {
    if constexpr (requires { Config::body_layers(task); }) return Config::body_layers(task);
    if constexpr (requires { config_.body_layers(); }) return config_.body_layers();
    return {Config::body_name};
  }
  std::unique_ptr<Architecture> part([[maybe_unused]] const std::string& type) const override {
    if constexpr (requires { config_.part(type); }) return config_.part(type);
    return nullptr;
  }
  std::vector<Task> tasks() const override { return Config::tasks(); }
  void transfer(ConfigFields& fields) override { config_.transfer(fields); }
  std::vector<InputOptions> inputs([[maybe_unused]] Task task) const override {
    if constexpr (requires { config_.inputs(task); }) {
      return config_.inputs(task);
    } else {
      return config_.inputs();
    }
  }
  std::vector<InputOptions> optional_inputs() const override {
    std::vector<InputOptions> result;
    constexpr bool has_own = requires { config_.optional_inputs(); };
    if constexpr (has_own) result = config_.optional_inputs();
    if (has_own || words_size() == 0) return result;
    result.push_back({.shape = Shape{-1}, .dtype = DType::i32, .name = "position_ids"});
    // Where a table has them; angles go on.
    if constexpr (!requires { config_.rope_parameters; }) {
      if constexpr (requires { config_.max_position_embeddings; })
        result.back().values_below = config_.max_position_embeddings;
      else
        result.back().values_below = max_tokens();
    }
    return result;
  }
  int64_t words_size() const override {
    if constexpr (requires { config_.words_size(); }) return config_.words_size();
    return 0;
  }
  bool masks_pairs() const override {
    if constexpr (requires { Config::masks_pairs; }) return Config::masks_pairs;
    return words_size() > 0;
  }
  OwnLoss loss(Task task, const Labels& labels) const override {
    if constexpr (requires { Config::loss(task, labels); }) return Config::loss(task, labels);
    OwnLoss loss = task_loss(task, labels);
    if constexpr (requires { config_.input_of_labels(task); })
      loss.input_of_labels = config_.input_of_labels(task);
    return loss;
  }
  std::vector<Symbol> build(const BuildArguments& arguments) const override {
    return config_.build(arguments);
  }
  WeightNames weight_names() const override {
    if constexpr (requires { config_.weight_names(); }) {
      return config_.weight_names();
    } else {
      return WeightNames();
    }
  }
  bool ties_word_embeddings() const override {
    if constexpr (requires { Config::ties_word_embeddings; }) {
      return Config::ties_word_embeddings;
    } else {
      return true;
    }
  }
  bool interpolates_positions() const override {
    return requires { Config::interpolates_positions; };
  }
  int64_t max_tokens() const override {
    if constexpr (requires { config_.max_tokens(); }) {
      return config_.max_tokens();
    } else if constexpr (requires { config_.max_position_embeddings; }) {
      return config_.max_position_embeddings;
    } else {
      return 0;
    }
  }
  std::optional<GenerationSpec> decoder() const override {
    if constexpr (requires { config_.decoder(); }) return config_.decoder();
    return {};
  }
  std::unique_ptr<Architecture> clone() const override {
    return std::make_unique<ArchitectureOf>(config_);
  }
  const Config& config() const { return config_; }

 private:
  Config config_;
};

// With its defaults. Unimplemented, listing those that are known, for an unknown model_type.
std::unique_ptr<Architecture> architecture_of(const std::string& model_type,
                                              SourceLocation location);

}  // namespace systolic::inline v0
