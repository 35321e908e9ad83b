#include "systolic/stablehlo/program.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/op_source.h"

namespace systolic::inline v0 {
namespace stablehlo {

const Attribute* find(const std::vector<NamedAttribute>& attributes, std::string_view name) {
  for (const NamedAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute.value;
  }
  return nullptr;
}

const Attribute* Operation::find(std::string_view attribute) const {
  return stablehlo::find(attributes, attribute);
}

const Function* Program::find(std::string_view function) const {
  for (const Function& candidate : functions) {
    if (candidate.name == function) return &candidate;
  }
  return nullptr;
}

const Function& Program::entry() const {
  const Function* main = find("main");
  if (main != nullptr) return *main;
  if (functions.empty()) raise_at(*this, 0, "the program has no function", {}, "func.func @main");
  return functions.front();
}

Position position_of(const Program& program, size_t offset) {
  const std::string_view before =
      std::string_view(*program.source).substr(0, std::min(offset, program.source->size()));
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const size_t start = before.rfind('\n');
  const size_t column = start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return {program.first_line + line, static_cast<int>(column) + 1};
}

std::string place_of(const Program& program, size_t offset) {
  if (program.is_bytecode) {
    const OpSource source = source_at(program, offset);
    if (!source.known()) return str(program.file, ": byte ", offset);
    return str(program.file, ": byte ", offset, " (", source.file, ":", source.line, ":",
               source.column, ")");
  }
  const Position at = position_of(program, offset);
  return str(program.file, ":", at.line, ":", at.column);
}

void raise_at(const Program& program, size_t offset, std::string what, std::string got,
              std::string wanted, std::string hint) {
  raise<InvalidArgument>({.what = str(place_of(program, offset), ": ", what),
                          .got = std::move(got),
                          .wanted = std::move(wanted),
                          .hint = std::move(hint)});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
