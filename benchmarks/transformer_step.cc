// Steps of a transformer with random weights, as systolic/transformers has them: fine-tuning with
// AdamW, or inference (benchmarks/peers/torch_transformer.py has the same models).
//
//   transformer_step --model gpt2 [--batch N] [--length TOKENS] [--cores N] [--dropout P] ...
#include <CLI/CLI.hpp>
#include <map>
#include <random>

#include "benchmarks/measure.h"
#include "systolic/base/stopwatch.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  std::string model = "minilm";
  int64_t batch = 0;   // 0: the model's own
  int64_t length = 0;  // 0: the model's own
  double dropout = 0.1;
  std::string precision = "f32";
  bool splits = false;
  int64_t steps = 10;
  int64_t warm_up = 2;
  int cores = 8;
};

struct MeasuredTransformer {
  int64_t batch;
  int64_t length;  // tokens of a text
  bool trains;
  PretrainedModel (*build)(const Arguments&);
  Example (*inputs)(const Arguments&);
};

Literal random_integers(const Shape& shape, int32_t least, int32_t most) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> number(least, most);
  Literal numbers(DType::i32, shape);
  for (int32_t& value : numbers.mutable_data<int32_t>()) value = number(bits);
  return numbers;
}

Literal all_ones(const Shape& shape) {
  Literal result(DType::i32, shape);
  for (int32_t& value : result.mutable_data<int32_t>()) value = 1;
  return result;
}

Example sentences(const Arguments& arguments) {
  const Shape shape{arguments.batch, arguments.length};
  return Example{{"input_ids", random_integers(shape, 1000, 30000)},
                 {"attention_mask", all_ones(shape)},
                 {"token_type_ids", Literal::zeros(DType::i32, shape)},
                 {"labels", random_integers(Shape{arguments.batch}, 0, 1)}};
}

// A causal language model's labels are its inputs.
Example texts(const Arguments& arguments) {
  const Shape shape{arguments.batch, arguments.length};
  const Literal ids = random_integers(shape, 0, 49000);
  return Example{{"input_ids", ids}, {"attention_mask", all_ones(shape)}, {"labels", ids}};
}

Example pictures(const Arguments& arguments) {
  return Example{{"pixel_values", random_digits({arguments.batch, 224, 224, 3})["image"]},
                 {"labels", random_integers(Shape{arguments.batch}, 0, 1)}};
}

PretrainedModel minilm(const Arguments& arguments) {
  return BertForSequenceClassification::from_config(
      {.hidden_size = 384,
       .num_hidden_layers = 6,
       .num_attention_heads = 12,
       .intermediate_size = 1536,
       .hidden_dropout_prob = arguments.dropout,
       .attention_probs_dropout_prob = arguments.dropout});
}

// MiniLM's sizes in DistilBERT's form, which spawn_step trains on ordinals.
PretrainedModel distilbert_small(const Arguments& arguments) {
  return DistilBertForSequenceClassification::from_config(
      {.dim = 384,
       .hidden_dim = 1536,
       .dropout = arguments.dropout,
       .attention_dropout = arguments.dropout,
       .seq_classif_dropout = arguments.dropout});
}

// Without the types of tokens, which this form does not have.
Example plain_sentences(const Arguments& arguments) {
  const Example all = sentences(arguments);
  return Example{{"input_ids", all["input_ids"]},
                 {"attention_mask", all["attention_mask"]},
                 {"labels", all["labels"]}};
}

PretrainedModel gpt2(const Arguments& arguments) {
  return AutoModelForCausalLM::from_config(GPT2Config{.resid_pdrop = arguments.dropout,
                                                      .embd_pdrop = arguments.dropout,
                                                      .attn_pdrop = arguments.dropout});
}

// The sizes of SmolLM-135M.
PretrainedModel smollm(const Arguments&) {
  PretrainedConfig config = LlamaConfig{.vocab_size = 49152,
                                        .hidden_size = 576,
                                        .intermediate_size = 1536,
                                        .num_hidden_layers = 30,
                                        .num_attention_heads = 9,
                                        .num_key_value_heads = 3,
                                        .max_position_embeddings = 2048};
  config.set_fields({{"tie_word_embeddings", true}}, SourceLocation::current());
  return AutoModelForCausalLM::from_config(config);
}

PretrainedModel smollm_lora(const Arguments& arguments) {
  return get_peft_model(smollm(arguments), {.r = 8, .target_modules = {"q_proj", "v_proj"}});
}

PretrainedModel vit_base(const Arguments&) {
  return AutoModelForImageClassification::from_config(ViTConfig{});
}

PretrainedModel vit_small(const Arguments&) {
  return AutoModelForImageClassification::from_config(
      ViTConfig{.hidden_size = 384, .num_attention_heads = 6, .intermediate_size = 1536});
}

const std::map<std::string, MeasuredTransformer>& transformers() {
  static const std::map<std::string, MeasuredTransformer> table = {
      {"minilm", {32, 64, true, minilm, sentences}},
      {"minilm_predict", {1, 64, false, minilm, sentences}},
      {"distilbert_small", {32, 64, true, distilbert_small, plain_sentences}},
      {"gpt2", {8, 128, true, gpt2, texts}},
      {"smollm", {4, 512, true, smollm, texts}},
      {"smollm_lora", {4, 512, true, smollm_lora, texts}},
      {"vit", {8, 0, false, vit_base, pictures}},
      {"vit_base", {8, 0, true, vit_base, pictures}},
      {"vit_small", {32, 0, true, vit_small, pictures}},
  };
  return table;
}

void train(const Arguments& arguments, PretrainedModel& model, const Example& inputs) {
  model.compile({.optimizer = AdamW{.learning_rate = 2e-5, .weight_decay = 0.01},
                 .matmul_precision = arguments.splits ? MatmulPrecision("bf16_x6") : "auto"});
  const History history = model.fit(
      data::from_tensors(inputs).repeat(),
      {.epochs = 1, .steps_per_epoch = arguments.warm_up + arguments.steps, .verbose = 0});
  print_result(arguments.model, history, arguments.warm_up, 0);
}

void predict(const Arguments& arguments, const PretrainedModel& model, const Example& all) {
  Example inputs;
  for (const std::string& name : model.input_names()) inputs.set(name, all[name]);
  std::vector<double> times;
  for (int64_t step = 0; step < arguments.warm_up + arguments.steps; ++step) {
    const Stopwatch watch;
    model.predict(inputs, {.batch_size = arguments.batch});
    if (step >= arguments.warm_up) times.push_back(watch.milliseconds());
  }
  print_times(arguments.model, times);
}

void run(Arguments arguments) {
  const MeasuredTransformer& measured = transformers().at(arguments.model);
  if (arguments.batch == 0) arguments.batch = measured.batch;
  if (arguments.length == 0) arguments.length = measured.length;
  const TPUClusterResolver resolver("v3-8", {.cores = arguments.cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  if (arguments.precision == "bf16") set_dtype_policy("mixed_bfloat16");
  PretrainedModel model = strategy.scope([&] { return measured.build(arguments); });
  const Example inputs = measured.inputs(arguments);
  if (measured.trains) return train(arguments, model, inputs);
  predict(arguments, model, inputs);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of transformers: fine-tuning, or inference.");
  systolic::Arguments arguments;
  app.add_option("--model", arguments.model, "which")
      ->check(CLI::IsMember(systolic::transformers()))
      ->capture_default_str();
  app.add_option("--batch", arguments.batch, "global batch");
  app.add_option("--length", arguments.length, "tokens of a text");
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
