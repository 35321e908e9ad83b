// Values that Keras gave, from the folder golden beside a test. For tests.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/nn/config/config.h"
#include "systolic/nn/config/field_values.h"

namespace systolic {

// The JSON file golden/NAME beside `test`, its __FILE__.
inline Config golden_json(const std::string& test, std::string_view name) {
  std::ifstream file(test.substr(0, test.rfind('/')) + "/golden/" + std::string(name));
  std::stringstream text;
  text << file.rdbuf();
  return Config::parse(text.str());
}

// {"shape": [...], "values": [...]} as f64.
inline Literal golden_doubles(const Config& json) {
  std::vector<int64_t> sizes;
  std::vector<double> values;
  from_config(json["shape"], sizes);
  from_config(json["values"], values);
  return Literal::from(values, Shape(sizes));
}

// The same as f32.
inline Literal golden_floats(const Config& json) {
  return golden_doubles(json).convert(DType::f32);
}

}  // namespace systolic
