// Steps of a DistilBERT of MiniLM's size with xmp::spawn, its global batch split over the ordinals:
// the model that transformer_step --model distilbert_small trains with fit, in PyTorch's way.
//
//   spawn_step [--batch 32] [--length 64] [--ordinals 8] [--steps 10] [--warm-up 3]
#include <CLI/CLI.hpp>
#include <random>

#include "benchmarks/measure.h"
#include "systolic/base/stopwatch.h"
#include "systolic/systolic.h"
#include "systolic/torch_xla/torch_xla.h"

namespace systolic {
namespace {

struct Arguments {
  int64_t batch = 32;  // of all ordinals
  int64_t length = 64;
  int ordinals = 8;
  int64_t steps = 10;
  int64_t warm_up = 3;
};

namespace nn = torch::nn;

constexpr int64_t dim = 384, hidden_dim = 1536, heads = 12, layers = 6, vocabulary = 30522;

struct Block : nn::Module<Block> {
  Block()
      : q(register_module("q_lin", nn::Linear(dim, dim))),
        k(register_module("k_lin", nn::Linear(dim, dim))),
        v(register_module("v_lin", nn::Linear(dim, dim))),
        out(register_module("out_lin", nn::Linear(dim, dim))),
        lin1(register_module("lin1", nn::Linear(dim, hidden_dim))),
        lin2(register_module("lin2", nn::Linear(hidden_dim, dim))),
        attention_norm(register_module("sa_layer_norm", nn::LayerNorm(dim, {.eps = 1e-12}))),
        output_norm(register_module("output_layer_norm", nn::LayerNorm(dim, {.eps = 1e-12}))) {}

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask) const {
    const int64_t batch = x.size(0), steps = x.size(1);
    const auto in_heads = [&](const torch::Tensor& y) {
      return y.view({batch, steps, heads, dim / heads});
    };
    const torch::Tensor context = scaled_dot_product_attention(
        in_heads(q(x)), in_heads(k(x)), in_heads(v(x)), {.mask = Tensor(mask)});
    const torch::Tensor attended =
        attention_norm(torch::Tensor(out(context.view({batch, steps, dim})) + x));
    return output_norm(torch::Tensor(lin2(torch::Tensor(gelu(lin1(attended)))) + attended));
  }

  nn::Linear q, k, v, out, lin1, lin2;
  nn::LayerNorm attention_norm, output_norm;
};

struct Classifier : nn::Module<Classifier> {
  Classifier()
      : words(register_module("word_embeddings", nn::Embedding(vocabulary, dim))),
        positions(register_module("position_embeddings", nn::Embedding(512, dim))),
        norm(register_module("LayerNorm", nn::LayerNorm(dim, {.eps = 1e-12}))),
        pre_classifier(register_module("pre_classifier", nn::Linear(dim, dim))),
        classifier(register_module("classifier", nn::Linear(dim, 2))) {
    for (int64_t i = 0; i < layers; ++i) blocks.append(Block());
    register_module("layer", blocks);
  }

  torch::Tensor forward(const torch::Tensor& ids, const torch::Tensor& mask) const {
    const torch::Tensor places = range(ids.size(1));
    torch::Tensor value = norm(torch::Tensor(words(ids) + positions(places)));
    for (const Block& block : blocks) value = block(value, mask);
    return classifier(torch::relu(pre_classifier(torch::Tensor(value[{all, 0}]))));
  }

  nn::Embedding words, positions;
  nn::LayerNorm norm;
  nn::ModuleList<Block> blocks;
  nn::Linear pre_classifier, classifier;
};

// Other ones on each ordinal.
Literal random_integers(const Shape& shape, int32_t least, int32_t most) {
  std::mt19937 bits(static_cast<uint32_t>(xm::get_ordinal()));
  std::uniform_int_distribution<int32_t> number(least, most);
  Literal numbers(DType::i32, shape);
  for (int32_t& value : numbers.mutable_data<int32_t>()) value = number(bits);
  return numbers;
}

// The milliseconds of each step after the first ones, until its loss has been read.
std::vector<double> train(const Arguments& arguments, const Classifier& model) {
  torch::optim::AdamW optimizer(model.parameters(), {.lr = 2e-5, .weight_decay = 0.01});
  const torch::nn::CrossEntropyLoss criterion;
  const int64_t own = arguments.batch / arguments.ordinals;
  const torch::Device device = xm::xla_device();
  const torch::Tensor ids =
      torch::Tensor(random_integers({own, arguments.length}, 1000, 30000)).to(device);
  const torch::Tensor mask =
      torch::Tensor(Literal::filled(DType::pred, {own, arguments.length}, 1)).to(device);
  const torch::Tensor labels = torch::Tensor(random_integers(Shape{own}, 0, 1)).to(device);
  model.train();
  std::vector<double> times;
  for (int64_t step = 0; step < arguments.warm_up + arguments.steps; ++step) {
    const Stopwatch watch;
    optimizer.zero_grad();
    const torch::Tensor loss = criterion(model(ids, mask), labels);
    loss.backward();
    xm::optimizer_step(optimizer, {.barrier = true});
    loss.item<float>();
    if (step >= arguments.warm_up) times.push_back(watch.milliseconds());
  }
  return times;
}

void run(const Arguments& arguments) {
  torch::manual_seed(1);
  const xmp::MpModelWrapper MX{Classifier()};
  std::vector<double> times;
  xmp::spawn(
      [&](int index) {
        const std::vector<double> own = train(arguments, MX.to(xm::xla_device()));
        if (index == 0) times = own;
      },
      {.nprocs = arguments.ordinals, .start_method = "fork"});
  print_times("spawn", times);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of a transformer with xmp::spawn.");
  systolic::Arguments arguments;
  app.add_option("--batch", arguments.batch, "of all ordinals")->capture_default_str();
  app.add_option("--length", arguments.length, "tokens of a text")->capture_default_str();
  app.add_option("--ordinals", arguments.ordinals, "")->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
