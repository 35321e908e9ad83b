// Values that Keras gave, read from tests/golden/data. The Python recipes beside this file write
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/trace/tensor.h"

namespace systolic {

using Json = nlohmann::json;

// data/NAME.json; one that is missing or broken fails the test by an exception that says so.
Json golden_file(std::string_view name);

// {"dtype": "int32", "shape": [2], "values": [1, 2]}; f32 where no type is given.
Literal literal_of(const Json& tensor);
std::vector<Literal> literals_of(const Json& tensors);
std::vector<Tensor> tensors_of(const Json& tensors);

// Within `tolerance` times the largest value that is wanted (or 1, if all are smaller): both sides
// are sums of f32 in an order of their own. NaN only where NaN is wanted.
void expect_close(const Literal& got, const Json& wanted, double tolerance,
                  const std::string& what);

}  // namespace systolic
