// What fit says of a model that does not fit a core.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/nn.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

TEST(Fit, SaysWhatDoesNotFitOnACore) {
  set_default_client(runtime::open_client({.tpu = "v3-8", .cores = 1}));
  // 65536 x 65536 weights: 16 GB, and twice that for Adam. Nothing of it is allocated.
  Model model = Sequential({Input{.shape = {1 << 16}}, Dense{.units = 1 << 16, .use_bias = false}});
  model.compile({.optimizer = Adam{}, .loss = MeanSquaredError{}, .metrics = {}});
  const Literal x = Literal::zeros(DType::f32, {2, 1 << 16});
  try {
    model.fit(x, x, {.batch_size = 2, .verbose = 0});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ResourceExhausted& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("train_step needs "), std::string::npos) << text;
    EXPECT_NE(text.find("16.00 GB parameters, 32.00 GB optimizer state"), std::string::npos)
        << text;
    EXPECT_NE(text.find("expected at most 16.00 GB, the memory of a TPU v3 core"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("hint: the weights alone do not fit"), std::string::npos) << text;
  }
  // Whoever asks: with their line.
  for (const auto& run :
       std::vector<std::function<void()>>{[&] {
                                            model.predict(x, {}, {"user.cc", 7});
                                          },
                                          [&] {
                                            model.evaluate(x, x, {.verbose = 0}, {"user.cc", 7});
                                          }})
    expect_parts(error_of(run), {"ResourceExhausted", "needs ", "on each core", "user.cc:7"});
  set_default_client(nullptr);
}

}  // namespace
}  // namespace systolic
