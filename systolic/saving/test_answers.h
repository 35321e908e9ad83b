// What models of others answered, from the JSON files in golden/.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/io/files/file.h"
#include "systolic/nn/config/field_values.h"
#include "tests/source_path.h"

namespace systolic::test {

inline std::string saving_golden(const std::string& name) {
  return source_path("systolic/saving/golden/" + name);
}

inline Literal array_of(const Config& answer) {
  std::vector<int64_t> sizes;
  std::vector<double> values;
  from_config(answer["shape"], sizes);
  from_config(answer["values"], values);
  return Literal::from(values, Shape(sizes)).convert(DType::f32);
}

inline void expect_answer(const Literal& got, const Config& answer, const std::string& what) {
  const Literal wanted = array_of(answer);
  ASSERT_EQ(got.shape(), wanted.shape()) << what;
  for (int64_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5) << what << " " << i;
}

}  // namespace systolic::test
