// What is called before a step is traced: only what declares nothing.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

int layer_calls = 0, metric_calls = 0, loss_calls = 0;

struct Undeclared {
  Tensor call(const Tensor& x, CallContext&) const {
    ++layer_calls;
    return x * 2;
  }
};
struct Declared : Undeclared {
  static constexpr LayerTraits traits = {};
};

struct SilentSum {
  std::string name = "total";
  void update(MetricState& state, const Tensor&, const Tensor& y_pred,
              const MetricOptions& options) const {
    ++metric_calls;
    Tensor each = sum(y_pred, {.axis = 1});
    if (options.sample_weight) each = each * *options.sample_weight;
    state.add("total", sum(each));
  }
  Tensor result(MetricState& state) const { return state.total("total").value(); }
};
struct DeclaredSum : SilentSum {
  static constexpr bool uses_sample_weight = true;
};

Tensor mean_difference(const Tensor& y_true, const Tensor& y_pred) {
  ++loss_calls;
  return mean(y_pred - y_true, {.axis = 1});
}

struct CallCounts {
  int layer = 0, metric = 0, loss = 0;
};

// From compile() to the end of a fit of two batches, of four and of three rows.
CallCounts calls_of_fit(const Layer& layer, const Metric& metric, const LossFunction& loss) {
  Model model =
      Sequential({Input{.shape = {1}},
                  Dense{.units = 1, .use_bias = false, .kernel_initializer = "ones"}, layer});
  model.compile({.optimizer = SGD{.learning_rate = 0}, .loss = loss, .metrics = metric});
  layer_calls = metric_calls = loss_calls = 0;
  const Literal x = Literal::of<float>({{1}, {2}, {3}, {4}, {5}, {6}, {7}});
  const History history = model.fit(x, x, {.batch_size = 4, .shuffle = false, .verbose = 0});
  EXPECT_EQ(history.last("total"), 56);
  return {layer_calls, metric_calls, loss_calls};
}

TEST(Probe, CallsWhatDeclaresNothingOnce) {
  const CallCounts none = calls_of_fit(Layer(Declared{}), DeclaredSum{}, "mse");
  EXPECT_GT(none.layer, 0);
  // One that is called has the layers called, too.
  const CallCounts by_layer = calls_of_fit(Layer(Undeclared{}), DeclaredSum{}, "mse");
  EXPECT_EQ(by_layer.layer, none.layer + 1);
  EXPECT_EQ(by_layer.metric, none.metric);
  const CallCounts by_metric = calls_of_fit(Layer(Declared{}), SilentSum{}, "mse");
  EXPECT_EQ(by_metric.layer, none.layer + 1);
  EXPECT_EQ(by_metric.metric, none.metric + 1);
  // One that each step calls once is called once besides.
  const CallCounts by_loss = calls_of_fit(Layer(Declared{}), DeclaredSum{}, mean_difference);
  EXPECT_EQ(by_loss.layer, none.layer + 1);
  EXPECT_EQ(by_loss.metric, none.metric);
  EXPECT_EQ(by_loss.loss, none.metric + 1);
  const CallCounts all = calls_of_fit(Layer(Undeclared{}), SilentSum{}, mean_difference);
  EXPECT_EQ(all.layer, none.layer + 1);
  EXPECT_EQ(all.metric, none.metric + 1);
}

// A table of nine rows.
struct Table {
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  std::string name = "table";
  Tensor call(const Tensor& x, CallContext& context) const {
    ++layer_calls;
    return Embedding{.input_dim = 9, .output_dim = 2, .name = "rows"}(x, context);
  }
  std::vector<LookupLimit> lookups() const { return {{.limit = 9, .layer = "rows"}}; }
};
struct SilentTable {  // the same, and says nothing
  static constexpr bool casts_inputs = false;
  std::string name = "table";
  Tensor call(const Tensor& x, CallContext& context) const { return Table{}.call(x, context); }
};

// Moves elements, and does not say how.
struct SilentMove {
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  Tensor call(const Tensor& x, CallContext&) const { return transpose(transpose(x)); }
};

// A fit of batches of three lengths, of which the first token is not looked up, through a network
// inside of the model. Gives the calls of the table.
int calls_of_table(const Layer& table, int64_t second_token,
                   const Layer& move = Reshape{.target_shape = {-1}}) {
  const Symbol ids = input({.shape = {-1}, .dtype = DType::i32, .name = "ids"});
  const Network inner(ids, GlobalAveragePooling1D{}(table(move(ids))), {.name = "inner"});
  const Symbol tokens = input({.shape = {-1}, .dtype = DType::i32, .name = "tokens"});
  Model model(tokens, Dense{.units = 1}(inner(tokens[{all, Slice{1}}])));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  layer_calls = 0;
  for (const int64_t length : {3, 4, 5}) {
    Literal ids = Literal::zeros(DType::i32, {4, length});
    for (int64_t row = 0; row < 4; ++row) {
      ids.mutable_data<int32_t>()[static_cast<size_t>(row * length)] = 99;
      ids.mutable_data<int32_t>()[static_cast<size_t>(row * length + 1)] =
          static_cast<int32_t>(second_token);
    }
    model.fit(ids, Literal::filled(DType::f32, {4, 1}, 1.0), {.batch_size = 4, .verbose = 0});
  }
  return layer_calls;
}

TEST(Probe, CallsNoLayerThatDeclaresWhatItLooksUp) {
  const int declared = calls_of_table(Layer(Table{}), 8);
  EXPECT_EQ(calls_of_table(Layer(SilentTable{}), 8), declared + 3);
  EXPECT_EQ(calls_of_table(Layer(Table{}), 8, SilentMove{}), declared + 3);
  const char* wanted = "an integer from 0 to 8: layer 'inner/table/rows' knows 9";
  EXPECT_CONTAINS(error_of([] { calls_of_table(Layer(Table{}), 9); }), wanted);
  EXPECT_CONTAINS(error_of([] { calls_of_table(Layer(SilentTable{}), 9); }), wanted);
  EXPECT_CONTAINS(error_of([] { calls_of_table(Layer(Table{}), 9, SilentMove{}); }), wanted);
}

}  // namespace
}  // namespace systolic
