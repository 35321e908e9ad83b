// systolic/torch against PyTorch: numbers drawn, modules, losses, optimizers, orders of samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/torch/torch.h"
#include "systolic/torch_xla/xm.h"
#include "systolic/torch_xla/xmp.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

namespace nn = torch::nn;
namespace optim = torch::optim;
namespace utils = torch::utils::data;

const Json& golden() {
  static const Json file = golden_file("torch");
  return file;
}

// As in make_torch.py.
Literal numbers(const Shape& shape, int64_t first = 0) {
  Literal result(DType::f32, shape);
  int64_t i = first;
  for (float& value : result.mutable_data<float>())
    value = static_cast<float>(i++ * 37 % 101) / 101.0f - 0.5f;
  return result;
}

TEST(TorchGolden, GeneratorsDrawTheSame) {
  for (const auto& [seed, wanted] : golden()["drawn"].items()) {
    torch::Generator generator(std::stoull(seed));
    EXPECT_EQ(Json(torch::randperm(23, generator)), wanted["randperm"]) << seed;
    EXPECT_EQ(generator.uniform({5}, -0.3, 0.7), literal_of(wanted["uniform"])) << seed;
    // The logarithm and the cosine of f32 are rounded by each library.
    expect_close(generator.normal({7}, 1, 2), wanted["normal, short"], 1e-6, seed);
    expect_close(generator.normal({37}, 0, 1), wanted["normal"], 1e-6, seed);
    EXPECT_EQ(Json(torch::randperm(5, generator)), wanted["then"]) << seed;
  }
}

// A module and how it is called, whatever its type.
struct Made {
  std::shared_ptr<nn::AnyModule> module;
  std::function<torch::Tensor(const torch::Tensor&)> call;
};
template <class M>
Made made(M module) {
  return {std::make_shared<M>(module), [module](const torch::Tensor& x) { return module(x); }};
}

std::map<std::string, std::function<Made()>> modules() {
  return {
      {"Linear", [] { return made(nn::Linear(5, 3)); }},
      {"Linear, no bias", [] { return made(nn::Linear(5, 3, {.bias = false})); }},
      {"Conv2d", [] { return made(nn::Conv2d(3, 4, 3, {.padding = 1})); }},
      {"Conv2d, strided",
       [] {
         return made(nn::Conv2d(
             4, 6, {3, 2}, {.stride = {2, 1}, .padding = {0, 1}, .dilation = {1, 2}, .groups = 2}));
       }},
      {"BatchNorm1d", [] { return made(nn::BatchNorm1d(3)); }},
      {"BatchNorm2d", [] { return made(nn::BatchNorm2d(3, {.momentum = 0.3})); }},
      {"LayerNorm", [] { return made(nn::LayerNorm(6)); }},
      {"LayerNorm, two axes",
       [] {
         return made(nn::LayerNorm({2, 6}, {.eps = 1e-3}));
       }},
      {"Embedding", [] { return made(nn::Embedding(7, 4)); }},
      {"Embedding, padded", [] { return made(nn::Embedding(7, 4, {.padding_idx = 3})); }},
      {"ReLU",
       [] {
         return made(nn::Sequential{nn::Linear(5, 4), nn::ReLU(), nn::Linear(4, 2)});
       }},
      {"GELU",
       [] {
         return made(nn::Sequential{nn::Linear(5, 4), nn::GELU()});
       }},
      {"GELU, tanh",
       [] {
         return made(nn::Sequential{nn::Linear(5, 4), nn::GELU({.approximate = true})});
       }},
      {"LeakyReLU",
       [] {
         return made(nn::Sequential{nn::Linear(5, 4), nn::LeakyReLU()});
       }},
      {"MaxPool2d",
       [] {
         return made(nn::Sequential{nn::Conv2d(2, 3, 3), nn::MaxPool2d(2)});
       }},
      {"AvgPool2d",
       [] {
         return made(nn::Sequential{nn::Conv2d(2, 3, 3), nn::AvgPool2d(3, 1)});
       }},
  };
}

TEST(TorchGolden, Modules) {
  ASSERT_EQ(modules().size(), golden()["modules"].size());
  for (const auto& [name, make] : modules()) {
    const Json& wanted = golden()["modules"][name];
    torch::manual_seed(11);
    const Made one = make();
    const torch::Tensor x = literal_of(wanted["input"]);
    const torch::Tensor y = one.call(x);
    expect_close(y.literal(), wanted["output"], 1e-5, name);
    torch::Tensor(sum(y * Tensor(numbers(y.shape(), 17)))).backward();
    for (const auto& [key, parameter] : one.module->named_parameters())
      expect_close(parameter.grad().literal(), wanted["gradients"][key], 1e-5, name + " " + key);
    const torch::StateDict state = one.module->state_dict();
    std::vector<std::string> keys, wanted_keys;
    for (const auto& [key, value] : state) keys.push_back(key);
    for (const auto& [key, value] : wanted["state"].items()) {
      wanted_keys.push_back(key);
      if (state.find(key) != nullptr) expect_close(state.at(key), value, 1e-6, name + " " + key);
    }
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys, wanted_keys) << name;
    one.module->eval();
    expect_close(one.call(x).literal(), wanted["eval"], 1e-5, name + ", eval");
    torch_xla::sync();
  }
}

torch::Tensor loss_of(const std::string& name, const Json& wanted, nn::Reduction reduction,
                      const torch::Tensor& x, const torch::Tensor& y) {
  const auto optional = [&](const char* key) -> std::optional<torch::Tensor> {
    if (!wanted.contains(key)) return {};
    return torch::Tensor(literal_of(wanted[key]));
  };
  if (name.starts_with("MSE")) return nn::MSELoss({.reduction = reduction})(x, y);
  if (name.starts_with("BCE")) {
    return nn::BCEWithLogitsLoss({.weight = optional("weight"),
                                  .pos_weight = optional("pos_weight"),
                                  .reduction = reduction})(x, y);
  }
  const double smoothing = name.find("smoothed") == std::string::npos ? 0 : 0.2;
  return nn::CrossEntropyLoss(
      {.weight = optional("weight"), .label_smoothing = smoothing, .reduction = reduction})(x, y);
}

TEST(TorchGolden, Losses) {
  const std::map<std::string, nn::Reduction> reductions = {
      {"mean", nn::Reduction::mean}, {"sum", nn::Reduction::sum}, {"none", nn::Reduction::none}};
  for (const auto& [name, wanted] : golden()["losses"].items()) {
    const nn::Reduction reduction = reductions.at(name.substr(name.rfind(' ') + 1));
    const torch::Tensor x = literal_of(wanted["input"]), y = literal_of(wanted["target"]);
    GradientTape tape;
    tape.watch(x);
    const torch::Tensor loss = loss_of(name, wanted, reduction, x, y);
    const Tensor gradient = tape.gradient(loss, x);
    expect_close(loss.literal(), wanted["loss"], 2e-6, name);
    expect_close(gradient.literal(), wanted["gradient"], 2e-6, name + ", gradient");
  }
}

using MakeOptimizer = std::function<optim::Optimizer(const std::vector<torch::Parameter>&)>;

std::map<std::string, MakeOptimizer> optimizers() {
  using P = const std::vector<torch::Parameter>&;
  return {
      {"SGD", [](P p) { return optim::SGD(p, {.lr = 0.1}); }},
      {"SGD, momentum",
       [](P p) { return optim::SGD(p, {.lr = 0.05, .momentum = 0.9, .weight_decay = 0.01}); }},
      {"SGD, nesterov",
       [](P p) { return optim::SGD(p, {.lr = 0.05, .momentum = 0.8, .nesterov = true}); }},
      {"SGD, dampening",
       [](P p) { return optim::SGD(p, {.lr = 0.05, .momentum = 0.8, .dampening = 0.3}); }},
      {"Adam", [](P p) { return optim::Adam(p, {.lr = 0.01}); }},
      {"Adam, decay, amsgrad",
       [](P p) { return optim::Adam(p, {.lr = 0.01, .weight_decay = 0.1, .amsgrad = true}); }},
      {"AdamW",
       [](P p) {
         return optim::AdamW(p, {.lr = 0.01, .betas = {0.8, 0.95}, .weight_decay = 0.1});
       }},
  };
}

// The losses of 50 steps over the global batch; each ordinal sees its rows of it.
void expect_trained(const std::string& name, const MakeOptimizer& make, int ordinals) {
  const Json& wanted = golden()["trained"][name];
  const std::string what = str(name, " on ", ordinals);
  torch::manual_seed(7);
  const xmp::MpModelWrapper MX(nn::Sequential{nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2)});
  xmp::spawn(
      [&](int index) {
        const nn::Sequential model = MX.to(xm::xla_device());
        optim::Optimizer optimizer = make(model.parameters());
        const int64_t rows = 16 / xm::xrt_world_size();
        for (int step = 0; step < 50; ++step) {
          const torch::Tensor x = numbers({rows, 3}, step * 3 + index * rows * 3);
          const torch::Tensor y = numbers({rows, 2}, step * 5 + 40 + index * rows * 2);
          optimizer.zero_grad();
          const torch::Tensor loss = nn::MSELoss()(model(x), y);
          loss.backward();
          xm::optimizer_step(optimizer, {.barrier = true});
          const double sum = xm::mesh_reduce("loss", loss.item<double>(), [](const auto& all) {
            return std::accumulate(all.begin(), all.end(), 0.0);
          });
          if (index != 0) continue;
          const double mean = sum / xm::xrt_world_size();
          EXPECT_NEAR(mean, wanted["losses"][static_cast<size_t>(step)].get<double>(), 1e-5)
              << what << ", step " << step;
        }
        const torch::StateDict state = model.state_dict();
        if (index != 0) return;
        for (const auto& [key, value] : state)
          expect_close(value, wanted["state"][key], 1e-5, what + ", " + key);
      },
      {.nprocs = ordinals, .start_method = "fork"});
}

TEST(TorchGolden, AnyNumberOfOrdinalsTrainsAsOneProcessOfTorch) {
  ASSERT_EQ(optimizers().size(), golden()["trained"].size());
  for (const auto& [name, make] : optimizers()) {
    for (const int ordinals : {1, 2, 8}) expect_trained(name, make, ordinals);
  }
}

Json order_of(const utils::DataLoader& loader) {
  Json batches = Json::array();
  for (const utils::Batch& batch : loader) {
    const Literal values = batch[0].literal();
    Json rows = Json::array();
    for (int64_t i = 0; i < values.size(); ++i) rows.push_back(values.integer_at(i));
    batches.push_back(rows);
  }
  return batches;
}

utils::TensorDataset eleven() {
  Literal values(DType::i64, {11});
  std::iota(values.mutable_data<int64_t>().begin(), values.mutable_data<int64_t>().end(), 0);
  return utils::TensorDataset({{"x", values}});
}

TEST(TorchGolden, SamplersAndLoadersKeepTheOrder) {
  const Json& wanted = golden()["orders"]["all"];
  for (const Json& one : wanted["distributed"]) {
    const utils::DistributedSampler sampler(11, {.num_replicas = 4,
                                                 .rank = one["rank"],
                                                 .shuffle = one.value("shuffle", true),
                                                 .seed = one.value("seed", uint64_t{0}),
                                                 .drop_last = one.value("drop_last", false)});
    for (size_t epoch = 0; epoch < one["epochs"].size(); ++epoch) {
      sampler.set_epoch(static_cast<int64_t>(epoch));
      EXPECT_EQ(Json(sampler.draw()), one["epochs"][epoch]) << one.dump();
    }
  }
  for (const Json& one : wanted["loader"]) {
    torch::manual_seed(3);
    const utils::DataLoader loader(eleven(), {.batch_size = 4,
                                              .shuffle = one.value("shuffle", false),
                                              .drop_last = one.value("drop_last", false)});
    for (const Json& epoch : one["epochs"]) EXPECT_EQ(order_of(loader), epoch) << one.dump();
    EXPECT_EQ(Json(torch::randperm(5)), one["then"]) << one.dump();
  }
  const utils::DataLoader loader(
      eleven(), {.batch_size = 4, .shuffle = true, .generator = torch::Generator(8)});
  for (const Json& epoch : wanted["generator"]) EXPECT_EQ(order_of(loader), epoch);
}

}  // namespace
}  // namespace systolic
