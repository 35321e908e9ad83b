// PyTorch's tensors, optimizers and loaders, with results worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "systolic/torch_xla/torch_xla.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

TEST(TorchExamples, TypesByTheirNamesInPyTorch) {
  struct Case {
    DType found, wanted;
  };
  const Case cases[] = {
      {torch::float32, DType::f32}, {torch::float64, DType::f64}, {torch::float16, DType::f16},
      {torch::int64, DType::i64},   {torch::int32, DType::i32},   {torch::int16, DType::i16},
      {torch::int8, DType::i8},     {torch::uint8, DType::u8},    {torch::double_, DType::f64},
      {torch::half, DType::f16},    {torch::int_, DType::i32},
  };
  for (const Case& c : cases) EXPECT_EQ(c.found, c.wanted);
}

TEST(TorchExamples, Tensors) {
  const torch::Tensor x = constant({{1.f, 2.f}, {3.f, 4.f}});
  const torch::DimOptions rows{.dim = 1, .keepdim = true};
  EXPECT_EQ(x.sum(rows).shape(), (Shape{2, 1}));
  expect_numbers(x.sum(rows), {3, 7});
  const torch::Device cpu;
  EXPECT_EQ(torch::to_string(cpu), "cpu");
  EXPECT_EQ(torch::to_string(torch::Device{.type = "xla", .index = 3}), "xla:3");
  const torch::ToOptions halves{.dtype = torch::float16};
  EXPECT_EQ(x.to(cpu, halves).dtype(), torch::float16);
}

TEST(TorchExamples, GeneratorsStartWhereTheirSeedSays) {
  torch::manual_seed(5);
  EXPECT_EQ(torch::default_generator().initial_seed(), 5U);
  const int64_t first = torch::default_generator().random_seed();
  torch::manual_seed(5);
  EXPECT_EQ(torch::default_generator().random_seed(), first);
}

// A weight whose gradient is x, after one step of an optimizer.
template <class Optimizer, class Options>
std::vector<double> after_one_step(const Options& options) {
  const torch::ParameterOptions named{.requires_grad = true, .name = "w"};
  const torch::Parameter weight(Literal::of<float>({1, -2}), named);
  Optimizer optimizer({weight}, options);
  const torch::Tensor x = constant({3.f, -4.f});
  const torch::Tensor loss = torch::Tensor(weight.value() * x).sum();
  loss.backward();
  optimizer.step();
  return numbers(weight.literal());
}

TEST(TorchExamples, OneStepOfEachOptimizer) {
  const torch::optim::SGDOptions plain{.lr = 0.1};
  expect_numbers(after_one_step<torch::optim::SGD>(plain), {1 - 0.3, -2 + 0.4});
  // Adam's first step is as large as its rate, whatever the gradient.
  const torch::optim::AdamOptions adam{.lr = 0.1};
  expect_numbers(after_one_step<torch::optim::Adam>(adam), {0.9, -1.9});
  const torch::optim::AdamWOptions decays{.lr = 0.1, .weight_decay = 0.5};
  expect_numbers(after_one_step<torch::optim::AdamW>(decays), {0.95 * 1 - 0.1, 0.95 * -2 + 0.1});
}

TEST(TorchExamples, GroupsHaveRatesOfTheirOwn) {
  const torch::Parameter slow(Literal::of<float>({1})), fast(Literal::of<float>({1}));
  const torch::optim::ParamGroup body{.params = {slow}}, head{.params = {fast}, .lr = 0.5};
  const torch::optim::SGD optimizer(std::vector<torch::optim::ParamGroup>{body, head}, {.lr = 0.1});
  EXPECT_EQ(optimizer.lr(0), 0.1);
  EXPECT_EQ(optimizer.lr(1), 0.5);
}

// Samples of one's own: the squares.
struct Squares {
  int64_t size() const { return 5; }
  Example get(int64_t i) const { return {{"x", Literal::scalar(static_cast<float>(i * i))}}; }
};

TEST(TorchDataExamples, LoadersMakeBatchesOfSamples) {
  static_assert(torch::utils::data::SampleSource<Squares>);
  const torch::utils::data::DataLoaderOptions pairs{.batch_size = 2, .drop_last = true};
  const torch::utils::data::DataLoader loader(Squares{}, pairs);
  EXPECT_EQ(loader.size(), 2);
  torch::utils::data::BatchCursor cursor = loader.begin();
  expect_numbers((*cursor)["x"], {0, 1});
  ++cursor;
  expect_numbers((*cursor)["x"], {4, 9});
  ++cursor;
  EXPECT_TRUE(cursor == loader.end());

  const torch::utils::data::NextBatch next = loader.iterate();
  EXPECT_TRUE(next().has_value());
}

TEST(TorchDataExamples, HowSamplesBecomeABatch) {
  const torch::utils::data::Collate count_them = [](const std::vector<Example>& samples) {
    return Example{{"count", Literal::scalar(static_cast<int32_t>(samples.size()))}};
  };
  const torch::utils::data::DataLoader loader(Squares{},
                                              {.batch_size = 3, .collate_fn = count_them});
  std::vector<double> counts;
  for (const torch::utils::data::Batch& batch : loader)
    counts.push_back(numbers(batch["count"]).front());
  EXPECT_EQ(counts, (std::vector<double>{3, 2}));
}

// An order of one's own: from the last sample to the first.
class Backwards : public torch::utils::data::SampleOrder {
 public:
  explicit Backwards(int64_t samples) : samples_(samples) {}
  std::vector<int64_t> draw() override {
    std::vector<int64_t> order;
    for (int64_t i = samples_; i-- > 0;) order.push_back(i);
    return order;
  }
  int64_t size() const override { return samples_; }

 private:
  int64_t samples_;
};

TEST(TorchDataExamples, Samplers) {
  using Order = std::vector<int64_t>;
  const torch::utils::data::SequentialSampler in_order(3);
  EXPECT_EQ(in_order.draw(), (Order{0, 1, 2}));
  const torch::utils::data::Sampler backwards(std::make_shared<Backwards>(3));
  EXPECT_EQ(backwards.draw(), (Order{2, 1, 0}));

  const torch::utils::data::RandomSamplerOptions seeded{.generator = torch::Generator(7)};
  const torch::utils::data::RandomSampler shuffled(3, seeded);
  Order drawn = shuffled.draw();
  EXPECT_EQ(drawn, torch::randperm(3, torch::Generator(7)));

  const torch::utils::data::DistributedSamplerOptions second_of_two{
      .num_replicas = 2, .rank = 1, .shuffle = false};
  const torch::utils::data::DistributedSampler share(5, second_of_two);
  EXPECT_EQ(share.draw(), (Order{1, 3, 0}));  // filled up from the first
}

}  // namespace
}  // namespace systolic
