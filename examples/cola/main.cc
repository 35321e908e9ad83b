// Fine-tunes a pretrained model, such as MiniLM, to tell acceptable English sentences from others,
// on eight TPU cores.
//
//   cola --model minilm --data cola/train.tsv --epochs 3 --sentence "the boat chased dog the ."
//
// Texts -> tokenizer -> prepare_dataset -> AutoModelForSequenceClassification -> fit -> Matthews
// correlation, accuracy and AUC on a tenth that was held back -> saved, loaded, asked. Without
// --data it draws sentences, without --model it makes a small BERT of random weights.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "examples/cola/acceptability.h"
#include "examples/common/command_line.h"
#include "examples/common/small_bert.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string model, data, cache = ".cache/cola", json;
  std::vector<std::string> sentences;
  int64_t epochs = 0, batch = 32, drawn = 4000, steps = 0, smoke = 0, max_seq_length = 0;
  int64_t warmup_steps = 0;
  double learning_rate = 0, dropout = -1, target = -1;
  uint64_t seed = 1;
  bool file_order = false, ask = false, linear_decay = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  app.add_option(
      "--model", arguments.model,
      "folder of a pretrained model and its tokenizer (default: a small one, made here)");
  app.add_option(
      "--data", arguments.data,
      "CoLA's train.tsv, the folder with it, or glue/cola, which is downloaded if need be "
      "(default: drawn sentences)");
  app.add_option("--cache", arguments.cache, "where models go")->capture_default_str();
  app.add_option("--epochs", arguments.epochs, "3 of a pretrained model, 8 of the small one")
      ->check(positive);
  app.add_option("--steps", arguments.steps, "of training, in place of epochs")->check(positive);
  app.add_option("--batch", arguments.batch, "global batch: of all cores together")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--learning-rate", arguments.learning_rate,
                 "2e-5 of a pretrained model, 1e-3 of the small one")
      ->check(CLI::Range(0.0, 10.0));
  app.add_flag("--linear-decay", arguments.linear_decay,
               "of the learning rate, to 0 at the end, as run_glue.py has it");
  app.add_option("--warmup-steps", arguments.warmup_steps,
                 "over which the learning rate rises from 0 first")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--max-seq-length", arguments.max_seq_length,
                 "tokens to which sentences are cut (default: what the model takes)")
      ->check(positive);
  app.add_option("--dropout", arguments.dropout, "in place of the model's")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--file-order", arguments.file_order, "no shuffling");
  app.add_option("--drawn", arguments.drawn, "how many sentences to draw without --data")
      ->capture_default_str()
      ->check(examples::at_least(100));
  app.add_option("--sentence", arguments.sentences, "to judge in the end; may be repeated");
  app.add_flag("--ask", arguments.ask, "judge the lines of the standard input in the end");
  app.add_option("--seed", arguments.seed, "of the new head, dropout and shuffling")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--json", arguments.json, "write the results to this file");
  app.add_option("--target", arguments.target, "exit code 1 below this Matthews correlation")
      ->check(CLI::Range(-1.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(positive);
}

data::Dataset dataset_of(const examples::LabelledTexts& texts) {
  return data::from_tensor_slices({{"sentence", texts.texts}, {"label", texts.labels}});
}

// The rates in config.json, which some architectures name in their own way.
std::vector<const char*> dropout_fields(const std::string& model_type) {
  if (model_type == "distilbert") return {"dropout", "attention_dropout", "seq_classif_dropout"};
  if (model_type == "xlnet") return {"dropout", "summary_last_dropout"};
  if (model_type == "gpt2") return {"embd_pdrop", "attn_pdrop", "resid_pdrop"};
  return {"hidden_dropout_prob", "attention_probs_dropout_prob"};
}

PretrainedModel make_model(const std::string& folder, const Arguments& arguments) {
  PretrainedOptions options{.num_labels = 2};
  if (arguments.dropout >= 0) {
    const std::string type = PretrainedConfig::from_pretrained(folder).model_type();
    for (const char* name : dropout_fields(type))
      options.config.emplace_back(name, arguments.dropout);
  }
  return AutoModelForSequenceClassification::from_pretrained(folder, options);
}

// The probability that each text is acceptable, from logits [texts, 2].
std::vector<float> chances_of(const Literal& logits) {
  std::vector<float> chances;
  for (int64_t row = 0; row < logits.shape()[0]; ++row) {
    const double difference = logits.number_at(2 * row + 1) - logits.number_at(2 * row);
    chances.push_back(static_cast<float>(1 / (1 + std::exp(-difference))));
  }
  return chances;
}

std::vector<float> judge(const PretrainedModel& model, const Tokenizer& tokenizer,
                         const std::vector<std::string>& texts, int64_t max_length) {
  return chances_of(model.predict(
      model.prepare_dataset(data::from_tensor_slices({{"sentence", texts}}), tokenizer,
                            {.batch_size = 64, .shuffle = false, .max_length = max_length})));
}

struct Scores {
  double matthews = 0, accuracy = 0, auc = 0;
};

Scores scores_of(const std::vector<float>& chances, const std::vector<int32_t>& labels) {
  const auto rows = static_cast<int64_t>(labels.size());
  const Tensor is = Literal::from(labels, {rows}), said = Literal::from(chances, {rows});
  const auto value = [&](const Metric& metric) {
    metric.update_state(is, said);
    return metric.result().item<double>();
  };
  return {value(MatthewsCorrelation{}), value(BinaryAccuracy{}), value(AUC{})};
}

void judge_sentence(const PretrainedModel& model, const Tokenizer& tokenizer,
                    const std::string& sentence) {
  const auto encoded = tokenizer(sentence, {.truncation = true, .pad_to_multiple_of = 32});
  std::cout << fixed(100 * chances_of(model.predict(encoded))[0], 1)
            << " % acceptable: " << sentence << std::endl;
}

// Each line of the standard input, typed or from a pipe.
void judge_lines(const PretrainedModel& model, const Tokenizer& tokenizer) {
  const bool typed = isatty(STDIN_FILENO) != 0;
  if (typed) std::cout << "Type sentences; Ctrl-D ends." << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      judge_sentence(model, tokenizer, line);
  }
}

void write_json(const std::string& path, const Scores& scores, const History& history) {
  const nlohmann::json json{{"matthews_correlation", scores.matthews},
                            {"accuracy", scores.accuracy},
                            {"auc", scores.auc},
                            {"losses", history.step_losses},
                            {"history", history.history}};
  io::write_file(path, json.dump(2) + "\n");
}

// The folder of the model to start with.
std::string starting_model(const Arguments& arguments, const examples::AcceptabilityData& data) {
  if (!arguments.model.empty()) return arguments.model;
  const std::string folder = arguments.cache + "/small_bert";
  examples::make_small_bert(folder, data.train.texts);
  std::cout << "model: a small BERT of random weights, not a pretrained one (--model DIR)\n";
  return folder;
}

// Up over the first steps, where asked for, then constant or down to 0 after `steps`.
LearningRate learning_rate(double rate, int64_t steps, const Arguments& arguments) {
  const int64_t rises = std::min(arguments.warmup_steps, steps - 1);
  LearningRate after = rate;
  if (arguments.linear_decay) {
    after = PolynomialDecay{
        .initial_learning_rate = rate, .decay_steps = steps - rises, .end_learning_rate = 0};
  }
  if (rises <= 0) return after;
  return WarmUp{.warmup_steps = rises, .after = after};
}

History train(PretrainedModel& model, const Tokenizer& tokenizer, const Arguments& arguments,
              const examples::AcceptabilityData& data) {
  const bool small = arguments.model.empty();
  const double rate = arguments.learning_rate > 0 ? arguments.learning_rate : small ? 1e-3 : 2e-5;
  const int buckets = arguments.file_order ? 0 : 3;
  const auto batches = model.prepare_dataset(dataset_of(data.train), tokenizer,
                                             {.batch_size = arguments.batch,
                                              .shuffle = !arguments.file_order,
                                              .seed = arguments.seed,
                                              .max_length = arguments.max_seq_length,
                                              .pad_to_multiple_of = 16,
                                              .buckets = buckets});
  const int64_t epochs = arguments.epochs > 0 ? arguments.epochs : small ? 8 : 3;
  const int64_t asked = arguments.smoke > 0 ? arguments.smoke : arguments.steps;
  // At most: each bucket of lengths but one may end with a batch of its own that is not full.
  const int64_t of_epoch =
      (batches.samples + arguments.batch - 1) / arguments.batch + std::max(0, buckets - 1);
  model.compile({.optimizer = AdamW{.learning_rate = learning_rate(
                                        rate, asked > 0 ? asked : epochs * of_epoch, arguments),
                                    .epsilon = 1e-8,
                                    .weight_decay = 0.01},
                 .metrics = {"accuracy", MatthewsCorrelation{}}});
  if (asked > 0) return model.fit(batches.dataset.repeat(), {.steps_per_epoch = asked});
  return model.fit(batches, {.epochs = static_cast<int>(epochs)});
}

int run(const Arguments& arguments) {
  set_seed(arguments.seed);
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  TPUStrategy strategy(resolver);
  const examples::AcceptabilityData data =
      examples::acceptability_data(arguments.data, arguments.drawn, arguments.seed);
  std::cout << "data: "
            << (data.drawn ? "sentences drawn by this program, not CoLA" : arguments.data) << ", "
            << data.train.texts.size() << " to train with, " << data.held_back.texts.size()
            << " held back" << std::endl;
  const std::string start = starting_model(arguments, data);
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(start);
  PretrainedModel model = strategy.scope([&] { return make_model(start, arguments); });
  const History history = train(model, tokenizer, arguments, data);

  const std::vector<float> chances =
      judge(model, tokenizer, data.held_back.texts, arguments.max_seq_length);
  const Scores scores = scores_of(chances, data.held_back.labels);
  std::cout << "held back: Matthews correlation " << fixed(scores.matthews, 4) << ", accuracy "
            << fixed(scores.accuracy, 4) << ", AUC " << fixed(scores.auc, 4) << "\n";

  const std::string tuned = arguments.cache + "/tuned";
  model.save_pretrained(tuned);
  tokenizer.save_pretrained(tuned);
  const Tokenizer saved_tokenizer = AutoTokenizer::from_pretrained(tuned);
  const PretrainedModel saved =
      strategy.scope([&] { return AutoModelForSequenceClassification::from_pretrained(tuned); });
  const Scores again =
      scores_of(judge(saved, saved_tokenizer, data.held_back.texts, arguments.max_seq_length),
                data.held_back.labels);
  std::cout << "the same from " << tuned << ": " << fixed(again.matthews, 4) << "\n";

  for (const std::string& sentence : arguments.sentences)
    judge_sentence(saved, saved_tokenizer, sentence);
  if (arguments.ask) judge_lines(saved, saved_tokenizer);
  if (!arguments.json.empty()) write_json(arguments.json, scores, history);
  return scores.matthews >= arguments.target && again.matthews == scores.matthews ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Fine-tune a pretrained model on CoLA on TPU cores", "cola");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return run(arguments); });
}
