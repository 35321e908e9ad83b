// The bytes of what TensorBoard shows, against those that TensorBoard 2.21 makes itself:
// plugins/histogram/summary_v2.py histogram_pb, plugins/text/summary_v2.py text_pb,
// plugins/hparams/summary_v2.py hparams_pb, and for pictures SummaryMetadata of
// plugins/image/metadata.py with a DT_STRING tensor; of long ones the SHA-256.
#include "systolic/train/sinks/summary_value.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/io/encoding/sha256.h"

namespace systolic {
namespace {

std::string hex_of(const std::string& bytes) {
  std::string text;
  for (const char one : bytes) {
    const auto code = static_cast<unsigned char>(one);
    text += "0123456789abcdef"[code >> 4];
    text += "0123456789abcdef"[code & 15];
  }
  return text;
}

TEST(SummaryValue, IsWhatTensorBoardMakes) {
  const struct {
    const char* what;
    std::string value, golden;
  } table[] = {
      {"a histogram", histogram_value("w", std::vector<float>{1, 2, 2, 4.5, 31}),
       "04e7229bca07d9fc38c5630698545bb487b0930c0ed8bb9cff83a1587b822261"},
      {"of nothing", histogram_value("w", {}),
       "e79e0cba6fc370e7995569523c8c3bd5d5e99954dfd0904a8b0cf8b29dd0cde3"},
      {"of equal numbers", histogram_value("w", std::vector<float>{3, 3, 3, 3}),
       "80858b094fed4ead56b1eab982704b547e98201ee65bb7132efd5fd4de65c240"},
      {"a text", text_value("note", "# hello"),
       "0a046e6f7465420d080712004207232068656c6c6f4a080a060a0474657874"},
      {"pictures", images_value("p", 4, 5, {"png"}),
       "0a0170421308071204120208034201354201344203706e674a0a0a080a06696d61676573"},
      {"a number that a run was made with", hparams_begin_value({{"lr", 0.5}}, "g", 12.5),
       "0a1c5f68706172616d735f2f73657373696f6e5f73746172745f696e666f42060801120212004a2c0a2a0a0768"
       "706172616d73121f1a1d0a0f0a026c72120911000000000000e03f220167290000000000002940"},
      {"a name", hparams_begin_value({{"opt", std::string("adam")}}, "g", 12.5),
       "0a1c5f68706172616d735f2f73657373696f6e5f73746172745f696e666f42060801120212004a2a0a280a0768"
       "706172616d73121d1a1b0a0d0a036f707412061a046164616d220167290000000000002940"},
      {"a choice", hparams_begin_value({{"big", true}}, "g", 12.5),
       "0a1c5f68706172616d735f2f73657373696f6e5f73746172745f696e666f42060801120212004a260a240a0768"
       "706172616d7312191a170a090a0362696712022001220167290000000000002940"},
  };
  for (const auto& row : table) {
    const bool is_hash = row.golden.size() == 64;
    io::Sha256 hash;
    hash.add(row.value);
    EXPECT_EQ(is_hash ? hash.digest() : hex_of(row.value), row.golden) << row.what;
  }
}

TEST(SummaryValue, HistogramsLeaveOutWhatIsNotFinite) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(histogram_value("w", std::vector<float>{1, infinity, 2, 2, 4, 7, -infinity,
                                                    std::numeric_limits<float>::quiet_NaN()}),
            histogram_value("w", std::vector<float>{1, 2, 2, 4, 7}));
}

}  // namespace
}  // namespace systolic
