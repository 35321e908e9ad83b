#include "golden_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "systolic/base/text.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

// Numbers that JSON has none for are "NaN", "Infinity" and "-Infinity".
double value_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return value.get<double>();
  const double infinity = std::numeric_limits<double>::infinity();
  if (value == "Infinity") return infinity;
  return value == "-Infinity" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

Shape shape_of(const Json& tensor) { return Shape(tensor.at("shape").get<std::vector<int64_t>>()); }

}  // namespace

Json golden_file(std::string_view name) {
  const std::string path = test::source_path(str("tests/golden/data/", name, ".json"));
  std::ifstream file(path);
  if (!file) throw std::runtime_error(str(path, " is missing: tests/golden/make_*.py writes it"));
  return Json::parse(file);
}

Literal literal_of(const Json& tensor) {
  const DType dtype = parse_dtype(tensor.value("dtype", "float32"));
  const Shape shape = shape_of(tensor);
  std::vector<double> values;
  for (const Json& value : tensor.at("values")) values.push_back(value_of(value));
  return Literal::from(values, shape).convert(dtype);
}

std::vector<Literal> literals_of(const Json& tensors) {
  std::vector<Literal> result;
  for (const Json& tensor : tensors) result.push_back(literal_of(tensor));
  return result;
}

std::vector<Tensor> tensors_of(const Json& tensors) {
  const std::vector<Literal> literals = literals_of(tensors);
  return std::vector<Tensor>(literals.begin(), literals.end());
}

void expect_close(const Literal& got, const Json& wanted, double tolerance,
                  const std::string& what) {
  const Json& values = wanted.is_object() ? wanted.at("values") : wanted;
  const Shape shape = wanted.is_object() ? shape_of(wanted) : Shape{};
  ASSERT_EQ(got.shape(), shape) << what;
  const auto at = [&](int64_t i) {
    return value_of(values.is_array() ? values.at(static_cast<size_t>(i)) : values);
  };
  double scale = 1;
  for (int64_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(at(i))) scale = std::max(scale, std::abs(at(i)));
  }
  for (int64_t i = 0; i < got.size(); ++i) {
    const double own = got.number_at(i);
    if (std::isnan(at(i))) {
      EXPECT_TRUE(std::isnan(own)) << what << ", element " << i << ": " << own << ", not NaN";
    } else if (own != at(i)) {
      EXPECT_NEAR(own, at(i), tolerance * scale) << what << ", element " << i;
    }
  }
}

}  // namespace systolic
