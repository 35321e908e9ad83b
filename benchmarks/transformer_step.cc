// Steps of a transformer on tokens or on patches of pictures: MiniLM-L6 fine-tuned with AdamW
// (benchmarks/peers/torch_minilm.py), and inference with ViT-base (torch_vit.py), both as
// systolic/transformers has them, with random weights.
//
//   transformer_step --model minilm|vit [--batch N] [--cores N] [--dropout P] ...
#include <CLI/CLI.hpp>
#include <random>

#include "benchmarks/measure.h"
#include "systolic/base/process/process.h"
#include "systolic/base/stopwatch.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  std::string model = "minilm";
  int64_t batch = 32;
  int64_t length = 64;
  double dropout = 0.1;
  std::string precision = "f32";
  bool splits = false;
  int64_t steps = 10;
  int64_t warm_up = 2;
  int cores = 8;
};

Example random_tokens(int64_t batch, int64_t length) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> token(1000, 30000), label(0, 1);
  Literal ids(DType::i32, {batch, length}), labels(DType::i32, Shape{batch});
  for (int32_t& value : ids.mutable_data<int32_t>()) value = token(bits);
  for (int32_t& value : labels.mutable_data<int32_t>()) value = label(bits);
  Literal mask = Literal::zeros(DType::i32, {batch, length});
  for (int32_t& value : mask.mutable_data<int32_t>()) value = 1;
  return Example{{"input_ids", ids},
                 {"attention_mask", mask},
                 {"token_type_ids", Literal::zeros(DType::i32, {batch, length})},
                 {"labels", labels}};
}

void train_minilm(const Arguments& arguments, const TPUStrategy& strategy) {
  PretrainedModel model = strategy.scope([&] {
    return BertForSequenceClassification::from_config(
        {.hidden_size = 384,
         .num_hidden_layers = 6,
         .num_attention_heads = 12,
         .intermediate_size = 1536,
         .hidden_dropout_prob = arguments.dropout,
         .attention_probs_dropout_prob = arguments.dropout});
  });
  model.compile({.optimizer = AdamW{.learning_rate = 2e-5, .weight_decay = 0.01},
                 .matmul_precision = arguments.splits ? MatmulPrecision("bf16_x6") : "auto"});
  const auto batches =
      data::from_tensors(random_tokens(arguments.batch, arguments.length)).repeat();
  const History history = model.fit(
      batches, {.epochs = 1, .steps_per_epoch = arguments.warm_up + arguments.steps, .verbose = 0});
  print_result("minilm", history, arguments.warm_up, 0);
}

void run_vit(const Arguments& arguments, const TPUStrategy& strategy) {
  const PretrainedModel model =
      strategy.scope([] { return AutoModelForImageClassification::from_config(ViTConfig{}); });
  const Literal pictures = random_digits({arguments.batch, 224, 224, 3})["image"];
  History history;
  for (int64_t step = 0; step < arguments.warm_up + arguments.steps; ++step) {
    const Stopwatch watch;
    const Literal logits = model.predict(pictures, {.batch_size = arguments.batch});
    history.step_losses.push_back(logits.data<float>()[0]);
    history.step_milliseconds.push_back(watch.milliseconds());
  }
  print_result("vit", history, arguments.warm_up, 0);
}

void run(const Arguments& arguments) {
  const TPUClusterResolver resolver("v3-8", {.cores = arguments.cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  if (arguments.precision == "bf16") set_dtype_policy("mixed_bfloat16");
  if (arguments.model == "vit") return run_vit(arguments, strategy);
  train_minilm(arguments, strategy);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app(
      "Measures steps of transformers: fine-tuning MiniLM-L6, or inference with ViT-base.");
  systolic::Arguments arguments;
  app.add_option("--model", arguments.model, "minilm or vit")
      ->check(CLI::IsMember({"minilm", "vit"}))
      ->capture_default_str();
  app.add_option("--batch", arguments.batch, "global batch")->capture_default_str();
  app.add_option("--length", arguments.length, "tokens of a sentence")->capture_default_str();
  app.add_option("--dropout", arguments.dropout, "share of activations")->capture_default_str();
  app.add_option("--precision", arguments.precision, "f32 or bf16 (mixed_bfloat16)")
      ->check(CLI::IsMember({"f32", "bf16"}))
      ->capture_default_str();
  app.add_flag("--bf16-x6", arguments.splits,
               "all products of f32 in three parts of bf16 each, those of gradients too");
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  app.add_option("--cores", arguments.cores, "cores of the TPU to use")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
