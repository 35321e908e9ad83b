// Writes a program as text, every op in MLIR's generic form.
//
//   std::cout << program_text(parse(text));
//
// program_text(parse(program_text(p))) is program_text(p); MLIR and JAX read the same text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// "tensor<2x?xf32>"
std::string type_text(const Program& program, TypeId type);
std::string attribute_text(const Program& program, const Attribute& attribute);
// "a = 1 : i64, b"
std::string attributes_text(const Program& program, const std::vector<NamedAttribute>& attributes);
// "@main", "@\"a name\""
std::string symbol_text(std::string_view name);
std::string program_text(const Program& program);

}  // namespace stablehlo
}  // namespace systolic::inline v0
