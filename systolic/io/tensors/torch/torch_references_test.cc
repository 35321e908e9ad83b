// References of torch_xla.utils.serialization that are damaged or forged; those of PyTorch itself
// are read in systolic/torch_xla/xser_test.cc.
#include "systolic/io/tensors/torch/torch_references.h"

#include "systolic/base/test_errors.h"
#include "systolic/io/archive/zip.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/tensors/torch/test_pickles.h"

namespace systolic {
namespace {

using pickles::dictionary;

std::string reference_to(const std::string& attributes) {
  return pickles::global("torch_xla.utils.serialization", "TensorReference") + ")\x81" +
         attributes + "b";
}
std::string reference_to(int64_t number) {
  return reference_to(dictionary({{"tid", pickles::integer(number)}}));
}

void write_references(const std::string& path, const std::string& root) {
  io::ZipWriter zip(path);
  zip.add("net/data.pkl", pickles::whole(root));
  zip.close();
}

TEST(TorchReferences, AreReadBackInTheirOrder) {
  const TemporaryFolder folder;
  const io::NamedLiterals tensors = {{"b", Literal::of<float>({{1, 2}, {3, 4}})},
                                     {"a", Literal::scalar<int64_t>(7)},
                                     {"none", Literal(DType::f16, {0, 3})}};
  io::write_torch_references(folder / "net.pt", tensors);
  EXPECT_EQ(io::read_torch_references(folder / "net.pt"), tensors);
  io::write_torch_references(folder / "net.pt", {tensors[1]});
  EXPECT_FALSE(std::filesystem::exists(folder / "net.pt.tensors/tensor_1.pt"));  // of the first
}

TEST(TorchReferences, OfInnerDictionariesHaveBothNames) {
  const TemporaryFolder folder;
  io::write_torch_references(folder / "net.pt", {{"x", Literal::of<float>({5})}});
  write_references(folder / "net.pt", dictionary({{"model", dictionary({{"w", reference_to(0)}})},
                                                  {"epoch", pickles::integer(3)}}));
  const io::NamedLiterals read = io::read_torch_references(folder / "net.pt");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].first, "model.w");
  EXPECT_EQ(read[0].second, Literal::of<float>({5}));
}

TEST(TorchReferences, RefusesForgedOnes) {
  struct Case {
    std::string root;
    const char* wanted;
  };
  const Case table[] = {
      {dictionary({{"w", reference_to(4)}}), "tensors/tensor_4.pt'"},
      {dictionary({{"w", reference_to(-1)}}), "is a reference without a number"},
      {dictionary({{"w", reference_to("}")}}), "is a reference without a number"},
      {dictionary({{"w", reference_to(dictionary({{"tid", pickles::text("../x")}}))}}),
       "is a reference without a number"},
      {dictionary({{"w", pickles::global("os", "system") + ")\x81"}}), "os.system"},
      {dictionary({{"w", reference_to(pickles::text("x"))}}), "a state for a"},
      {"]", "it holds a list instead of a dictionary"},
  };
  const TemporaryFolder folder;
  for (const Case& row : table) {
    write_references(folder / "net.pt", row.root);
    EXPECT_CONTAINS(error_of([&] { io::read_torch_references(folder / "net.pt"); }), row.wanted);
  }
}

TEST(TorchReferences, ATensorsFileHoldsOneTensor) {
  const TemporaryFolder folder;
  io::write_torch_references(folder / "net.pt", {{"x", Literal::of<float>({5})}});
  io::write_torch_file(folder / "net.pt.tensors/tensor_0.pt", {{"x", Literal::of<float>({5})}});
  EXPECT_CONTAINS(error_of([&] { io::read_torch_references(folder / "net.pt"); }),
                  "it holds a call instead of a tensor");
}

}  // namespace
}  // namespace systolic
