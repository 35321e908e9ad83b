#include "systolic/torch_xla/xser.h"

#include <gtest/gtest.h>

#include "systolic/io/files/test_files.h"
#include "systolic/torch/torch.h"
#include "systolic/torch_xla/xmp.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

TEST(Xser, IsSavedOnceAndReadAgain) {
  const TemporaryFolder folder;
  const torch::nn::Sequential model{torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2)};
  const std::string path = folder / "net.pt";
  xmp::spawn(
      [&](int) {
        const torch::StateDict state = model.state_dict();
        xser::save(state, path);
        EXPECT_EQ(xser::load(path), state);
      },
      {.nprocs = 2});
  EXPECT_EQ(xser::load(path).size(), 7u);
}

// golden/make_xser.py wrote it.
TEST(Xser, ReadsWhatPyTorchWrote) {
  const torch::StateDict state = xser::load(test::source_path("systolic/torch_xla/golden/xser.pt"));
  ASSERT_EQ(state.size(), 3u);
  EXPECT_EQ(state.at("weight"), Literal::of<float>({{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(state.at("bias").convert(DType::f32), Literal::of<float>({0.5, -0.5}));
  EXPECT_EQ(state.at("bias").dtype(), DType::bf16);
  EXPECT_EQ(state.at("steps"), Literal::scalar<int64_t>(9));
}

}  // namespace
}  // namespace systolic
