#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "systolic/image/test_golden.h"
#include "tests/source_path.h"

namespace systolic::inline v0 {
namespace image {

nlohmann::json read_golden(const std::string& name) {
  std::ifstream file(test::source_path("systolic/image/golden/" + name));
  return nlohmann::json::parse(file);
}

std::string from_base64(std::string_view text) {
  const std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return bytes;
}

Literal golden_literal(const nlohmann::json& array) {
  const auto dims = array["shape"].get<std::vector<int64_t>>();
  const auto dtype = parse_dtype(array["dtype"].get<std::string>());
  Literal result(dtype, Shape(dims));
  const std::string bytes = from_base64(array["base64"].get<std::string>());
  EXPECT_EQ(bytes.size(), result.byte_size());
  std::memcpy(result.mutable_raw(), bytes.data(), bytes.size());
  return result;
}

double largest_difference(const Literal& a, const Literal& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape())
    return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a.number_at(i) - b.number_at(i)));
  }
  return largest;
}

TEST(GoldenFile, Base64) {
  EXPECT_EQ(from_base64("TWFu"), "Man");
  EXPECT_EQ(from_base64("TWE="), "Ma");
  EXPECT_EQ(from_base64(""), "");
}

}  // namespace image
}  // namespace systolic::inline v0
