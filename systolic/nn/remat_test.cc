// Which layers a RematScope has computed again for gradients; that results stay the same is tested
// where models are trained (train/rematerialization_test.cc).
#include "systolic/nn/remat.h"

#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/trace.h"

namespace systolic {
namespace {

// How many layers of what `make` makes in a scope are marked when they are called.
size_t marked(const RematOptions& options, const std::function<Layer()>& make) {
  const auto layer = [&] {
    const RematScope scope(options);
    return make();
  }();
  const Tensor x = zeros({2, 8});
  layer(x);  // makes its weights
  const auto trace = std::make_shared<Trace>(Trace::Kind::explicit_);
  const TraceScope scope(trace);
  layer(x);
  return trace->recomputed().size();
}

Layer two_dense() {
  return Sequential({Dense{.units = 4, .activation = "relu", .name = "narrow"},
                     Dense{.units = 64, .name = "wide"}});
}

TEST(RematScope, MarksTheLayersOfItsMode) {
  const struct {
    const char* what;
    RematOptions options;
    size_t layers;
  } table[] = {
      {"all", {}, 2},
      {"none", {.mode = "none"}, 0},
      {"those with large outputs", {.mode = "larger_than", .output_size_threshold = 8}, 1},
      {"no output is larger", {.mode = "larger_than", .output_size_threshold = 128}, 0},
      {"by name", {.mode = "list_of_layers", .layer_names = {"wide", "other"}}, 1},
      {"activations: linear is none that computes", {.mode = "activations"}, 1},
  };
  for (const auto& row : table) EXPECT_EQ(marked(row.options, two_dense), row.layers) << row.what;
}

TEST(RematScope, ModesAreKnownByName) {
  EXPECT_EQ(RematMode::known().size(), RematModeNames::names.size());
  for (const std::string& name : RematMode::known())
    EXPECT_EQ(RematOptions{.mode = RematMode::parse(name)}.mode.name(), name);
  EXPECT_THROW(RematMode::parse("some"), InvalidArgument);
}

TEST(RematScope, CountsWhereLayersAreMade) {
  const RematScope outer;
  const Layer within = Dense{.units = 4};
  EXPECT_EQ(marked({.mode = "none"}, [&] { return within; }), 1u);
  EXPECT_EQ(marked({.mode = "none"}, [] { return Layer(Dense{.units = 4}); }), 0u);
}

TEST(RecomputeScope, MarksWhatIsTracedAndNotDropped) {
  for (const bool drops : {false, true}) {
    const auto trace = std::make_shared<Trace>(Trace::Kind::explicit_);
    const TraceScope scope(trace);
    {
      RecomputeScope again;
      sin(zeros({2}));
      if (drops) again.drop();
    }
    EXPECT_EQ(trace->recomputed().empty(), drops);
  }
}

// The gradient of sin at 2, and of what is computed from it, with a Variable besides.
TEST(Remat, OfAFunctionHasItsGradient) {
  Variable w(constant(3.f));
  const auto f = remat([&](const Tensor& x, double scale) { return sin(x * w) * scale; });
  for (const bool is_compiled : {false, true}) {
    const auto gradients = [&](const Tensor& x) {
      GradientTape tape({.persistent = true});
      tape.watch(x);
      const Tensor y = f(x, 5) * x;
      return std::vector<Tensor>{tape.gradient(y, x), tape.gradient(y, w)};
    };
    const Tensor x = constant(2.f);
    const auto got = is_compiled ? function(gradients)(x) : gradients(x);
    EXPECT_NEAR(got[0].item<float>(), 5 * (std::sin(6.0) + 2 * 3 * std::cos(6.0)), 1e-5);
    EXPECT_NEAR(got[1].item<float>(), 5 * 2 * 2 * std::cos(6.0), 1e-5);
  }
}

}  // namespace
}  // namespace systolic
