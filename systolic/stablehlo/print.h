// Writes a program as text: every op in MLIR's generic form, or in the pretty form that StableHLO's
// tools and JAX print.
//
//   std::cout << program_text(parse(text));
//   std::cout << program_text(parse(text), {.pretty = true, .locations = true});
//
// With the same options program_text(parse(program_text(p))) is program_text(p); MLIR and JAX read
// the same text. An op without a pretty form, or with attributes that its pretty form has no place
// for, is written in the generic one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

struct PrintOptions {
  bool pretty = false;     // %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
  bool locations = false;  // loc(...) after ops and functions that have one
};

// "tensor<2x?xf32>"
std::string type_text(const Program& program, TypeId type);
std::string attribute_text(const Program& program, const Attribute& attribute);
// "a = 1 : i64, b"
std::string attributes_text(const Program& program, const std::vector<NamedAttribute>& attributes);
// "@main", "@\"a name\""
std::string symbol_text(std::string_view name);
std::string program_text(const Program& program, const PrintOptions& options = {});

}  // namespace stablehlo
}  // namespace systolic::inline v0
