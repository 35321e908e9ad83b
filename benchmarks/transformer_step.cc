// Steps of a transformer on tokens or on patches of pictures: MiniLM-L6 fine-tuned with AdamW
// (benchmarks/peers/torch_minilm.py), and inference with ViT-base (torch_vit.py).
//
//   transformer_step --model minilm|vit [--batch N] [--cores N] [--dropout P] ...
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <random>

#include "benchmarks/measure.h"
#include "systolic/base/process.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  std::string model = "minilm";
  int64_t batch = 32;
  int64_t length = 64;
  double dropout = 0.1;
  std::string precision = "f32";
  int64_t steps = 10;
  int64_t warm_up = 2;
  int cores = 8;
};

// Attention of all positions to all that the mask keeps: x [batch, position, width] and, as a
// second input, mask [batch, position], 1 for real tokens.
struct SelfAttention {
  int64_t heads = 12;
  double dropout = 0;
  Tensor call(const std::vector<Tensor>& inputs, CallContext& context) const {
    const Tensor& x = inputs[0];
    const int64_t width = x.shape()[-1], depth = width / heads;
    const Shape split{x.shape()[0], x.shape()[1], heads, depth};
    const auto project = [&](const char* name) {
      return reshape(Dense{.units = width, .name = name}(x, context), split);
    };
    const Tensor q = project("query"), k = project("key"), v = project("value");
    Tensor scores = einsum("bqhd,bkhd->bhqk", q * (1 / std::sqrt(static_cast<double>(depth))), k);
    if (inputs.size() > 1) {
      const Tensor masked = (1.0 - cast(inputs[1], DType::f32)) * -1e30;
      scores = scores + expand_dims(expand_dims(masked, 1), 1);
    }
    Tensor weights = softmax(scores);
    if (dropout > 0) weights = Dropout{.rate = dropout}(weights, context);
    const Tensor mixed = reshape(einsum("bhqk,bkhd->bqhd", weights, v), x.shape());
    return Dense{.units = width, .name = "output"}(mixed, context);
  }
};

struct Positions {
  Tensor call(const Tensor& x, CallContext& context) const {
    return x + context.weight("positions", {x.shape()[1], x.shape()[2]});
  }
};

// [batch, patches, width] -> [batch, 1 + patches, width]: the class token in front.
struct ClassToken {
  Tensor call(const Tensor& x, CallContext& context) const {
    const int64_t width = x.shape()[-1];
    const Tensor token = context.weight("token", {1, 1, width});
    return concat({broadcast_to(token, {x.shape()[0], 1, width}), x}, 1);
  }
};

struct FirstPosition {
  Tensor call(const Tensor& x, CallContext&) const {
    return squeeze(slice(x, {0, 0, 0}, {x.shape()[0], 1, x.shape()[2]}), {1});
  }
};

Symbol minilm(const Arguments& arguments, const std::vector<Symbol>& inputs) {
  constexpr int64_t layers = 6, width = 384, hidden = 1536, heads = 12, vocabulary = 30522;
  const double rate = arguments.dropout;
  const auto drop = [&](const Symbol& x) { return rate > 0 ? Dropout{.rate = rate}(x) : x; };
  const auto norm = [](const Symbol& x) { return LayerNormalization{.epsilon = 1e-12}(x); };
  Symbol x = Add{}({Embedding{.input_dim = vocabulary, .output_dim = width}(inputs[0]),
                    Embedding{.input_dim = 2, .output_dim = width}(inputs[2])});
  x = drop(norm(Layer(Positions{})(x)));
  for (int64_t i = 0; i < layers; ++i) {
    const Layer attention = SelfAttention{.heads = heads, .dropout = rate};
    x = norm(Add{}({x, drop(attention({x, inputs[1]}))}));
    const Symbol wide = Dense{.units = hidden, .activation = "gelu"}(x);
    x = norm(Add{}({x, drop(Dense{.units = width}(wide))}));
  }
  const Symbol pooled = Dense{.units = width, .activation = "tanh"}(Layer(FirstPosition{})(x));
  return Dense{.units = 2}(drop(pooled));
}

Symbol vit(const Symbol& pictures) {
  constexpr int64_t layers = 12, width = 768, hidden = 3072, heads = 12, patch = 16, side = 14;
  const auto norm = [](const Symbol& x) { return LayerNormalization{.epsilon = 1e-12}(x); };
  Symbol x =
      Conv2D{.filters = static_cast<int>(width), .kernel_size = patch, .strides = patch}(pictures);
  x = Layer(Positions{})(Layer(ClassToken{})(Reshape{.target_shape = {side * side, width}}(x)));
  for (int64_t i = 0; i < layers; ++i) {
    x = Add{}({x, Layer(SelfAttention{.heads = heads})(std::vector<Symbol>{norm(x)})});
    const Symbol wide = Dense{.units = hidden, .activation = "gelu"}(norm(x));
    x = Add{}({x, Dense{.units = width}(wide)});
  }
  return Dense{.units = 2}(Layer(FirstPosition{})(norm(x)));
}

Example random_tokens(int64_t batch, int64_t length) {
  std::mt19937 bits(1);
  std::uniform_int_distribution<int32_t> token(1000, 30000), label(0, 1);
  Literal ids(DType::i32, {batch, length}), labels(DType::i32, Shape{batch});
  for (int32_t& value : ids.mutable_data<int32_t>()) value = token(bits);
  for (int32_t& value : labels.mutable_data<int32_t>()) value = label(bits);
  Literal mask = Literal::zeros(DType::i32, {batch, length});
  for (int32_t& value : mask.mutable_data<int32_t>()) value = 1;
  return Example{{"ids", ids},
                 {"mask", mask},
                 {"types", Literal::zeros(DType::i32, {batch, length})},
                 {"label", labels}};
}

void train_minilm(const Arguments& arguments, const TPUStrategy& strategy) {
  Model model = strategy.scope([&] {
    std::vector<Symbol> inputs;
    for (const char* name : {"ids", "mask", "types"}) {
      inputs.push_back(input({.shape = {arguments.length}, .dtype = DType::i32, .name = name}));
    }
    Model made(inputs, {minilm(arguments, inputs)});
    made.compile({.optimizer = AdamW{.learning_rate = 2e-5},
                  .loss = SparseCategoricalCrossentropy{.from_logits = true},
                  .metrics = {"sparse_categorical_accuracy"}});
    return made;
  });
  const auto batches =
      data::from_tensors(random_tokens(arguments.batch, arguments.length)).repeat();
  const History history = model.fit(
      batches, {.epochs = 1, .steps_per_epoch = arguments.warm_up + arguments.steps, .verbose = 0});
  print_result("minilm", history, arguments.warm_up, 0);
}

void run_vit(const Arguments& arguments, const TPUStrategy& strategy) {
  Model model = strategy.scope([&] {
    const Symbol pictures = input({.shape = {224, 224, 3}});
    Model made(pictures, vit(pictures));
    made.compile({.loss = SparseCategoricalCrossentropy{.from_logits = true}});
    return made;
  });
  const Literal pictures = random_digits({arguments.batch, 224, 224, 3})["image"];
  History history;
  for (int64_t step = 0; step < arguments.warm_up + arguments.steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    history.step_losses.push_back(
        model.predict(pictures, {.batch_size = arguments.batch}).data<float>()[0]);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    history.step_milliseconds.push_back(time.count());
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
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  app.add_option("--cores", arguments.cores, "cores of the TPU to use")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
