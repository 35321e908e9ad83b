// For tests: programs of one op, each of which breaks one constraint.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "systolic/base/test_errors.h"
#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/verify/verify.h"

namespace systolic {

struct Violating {
  std::string label;    // "dot_general_c10"; the op alone for a program that is right
  std::string inputs;   // types between semicolons: "2x3xf32; !stablehlo.token"
  std::string inside;   // "({region}) {attributes}"
  std::string results;  // as the inputs
  std::string says;     // after the label in the message
};

inline std::string type_of(std::string_view text) {
  text = trim(text);
  const bool other = text[0] == '!' || text.substr(0, 5) == "tuple";
  return other ? std::string(text) : "tensor<" + std::string(text) + ">";
}

inline std::vector<std::string> types_of(const std::string& list) {
  std::vector<std::string> types;
  if (trim(list).empty()) return types;
  for (const std::string& part : split(list, ';')) types.push_back(type_of(part));
  return types;
}

// "all_gather" of "all_gather_c3".
inline std::string op_of(const std::string& label) {
  const size_t end = label.rfind('_');
  if (end == std::string::npos || end + 2 >= label.size()) return label;
  const bool labelled = (label[end + 1] == 'c' || label[end + 1] == 'i') && label[end + 2] >= '0' &&
                        label[end + 2] <= '9';
  return labelled ? label.substr(0, end) : label;
}

inline std::string program_of(const Violating& program) {
  const std::vector<std::string> inputs = types_of(program.inputs),
                                 results = types_of(program.results);
  std::vector<std::string> arguments, names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    names.push_back(str("%a", i));
    arguments.push_back(str(names.back(), ": ", inputs[i]));
  }
  const std::string defines = results.empty() ? "" : str("%r:", results.size(), " = ");
  return str("module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 2 : i32} {\n",
             "func.func @main(", join(arguments), ") {\n  ", defines, "\"stablehlo.",
             op_of(program.label), "\"(", join(names), ") ", program.inside, " : (", join(inputs),
             ") -> (", join(results), ")\n  return\n}\n",
             "func.func private @double(tensor<2xf32>) -> tensor<2xf64>\n}");
}

// A region that takes scalars of these element types and returns the last `results` of them.
inline std::string region_of(const std::string& elements, const std::string& results) {
  std::vector<std::string> arguments, names;
  std::string returned_names, text;
  for (const std::string& type : types_of(elements)) {
    names.push_back(str("%x", names.size()));
    arguments.push_back(str(names.back(), ": ", type));
  }
  std::vector<std::string> made, types = types_of(results);
  for (size_t i = 0; i < types.size(); ++i) {
    made.push_back(str("%y", i));
    text += str("%y", i, " = \"test.make\"() : () -> ", types[i], "\n");
  }
  const std::string head = arguments.empty() ? "" : str("^bb0(", join(arguments), "):\n");
  return str("{", head, text, "\"stablehlo.return\"(", join(made), ") : (", join(types),
             ") -> ()\n}");
}
inline std::string reducer(const std::string& element) {
  return region_of(element + ";" + element, element);
}

inline std::string verify_text(const std::string& text) {
  return message_of<InvalidArgument>([&] { stablehlo::verify(stablehlo::parse(text, "t.mlir")); });
}

class Violations : public testing::TestWithParam<Violating> {};

inline std::string name_of(const testing::TestParamInfo<Violating>& info) {
  std::string name = info.param.label;
  if (op_of(name) == name) name += "_holds";
  return str(name, "_", info.index);
}

inline void expect_violation(const Violating& program) {
  const std::string text = program_of(program), message = verify_text(text);
  if (op_of(program.label) == program.label) {
    EXPECT_EQ(message, "no error") << text;
    return;
  }
  const size_t column = types_of(program.results).empty() ? 3 : 10;
  EXPECT_EQ(message, str("t.mlir:3:", column, ": ", program.label, ": ", program.says, "."))
      << text;
}

}  // namespace systolic
