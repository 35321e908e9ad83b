#include "systolic/stablehlo/print.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/stablehlo/function_printer.h"

namespace systolic::inline v0 {
namespace stablehlo {

void FunctionPrinter::print() {
  out_ += "  func.func ";
  if (!function_.visibility.empty()) out_ += str(function_.visibility, " ");
  out_ += str(symbol_text(function_.name), "(");
  print_parameters();
  out_ += ")";
  print_results();
  if (!function_.attributes.empty()) {
    out_ += str(" attributes {", attributes_text(program_, function_.attributes), "}");
  }
  if (!function_.declared_only) {
    out_ += " {\n";
    print_operations(function_.body, 4);
    out_ += "  }";
  }
  print_location(function_.location);
  out_ += '\n';
}

std::string FunctionPrinter::braced(const std::vector<NamedAttribute>& attributes) const {
  return attributes.empty() ? "" : str(" {", attributes_text(program_, attributes), "}");
}

void FunctionPrinter::print_location(std::string_view location) {
  if (options_.locations && !location.empty()) out_ += str(" ", location);
}

void FunctionPrinter::print_parameters() {
  for (size_t i = 0; i < function_.body.arguments.size(); ++i) {
    const ValueId value = function_.body.arguments[i];
    out_ += str(i == 0 ? "" : ", ", function_.declared_only ? "" : str(name(value), ": "),
                type(value), braced(function_.argument_attributes[i]));
  }
}

void FunctionPrinter::print_results() {
  if (function_.result_types.empty()) return;
  const bool bare = options_.pretty && function_.result_types.size() == 1 &&
                    function_.result_attributes[0].empty() &&
                    program_.type(function_.result_types[0]).kind != Type::Kind::function;
  out_ += bare ? " -> " : " -> (";
  for (size_t i = 0; i < function_.result_types.size(); ++i) {
    out_ += str(i == 0 ? "" : ", ", type_text(program_, function_.result_types[i]),
                braced(function_.result_attributes[i]));
  }
  if (!bare) out_ += ")";
}

void FunctionPrinter::print_operations(const Region& region, size_t indent) {
  for (const Operation& op : region.operations) print_operation(op, indent);
}

std::string FunctionPrinter::names(const std::vector<ValueId>& values, size_t begin,
                                   size_t end) const {
  std::vector<std::string_view> parts;
  for (size_t i = begin; i < std::min(end, values.size()); ++i) parts.push_back(name(values[i]));
  return join(parts);
}

std::string FunctionPrinter::types(const std::vector<ValueId>& values) const {
  std::vector<std::string> parts;
  for (ValueId value : values) parts.push_back(type(value));
  return join(parts);
}

std::string FunctionPrinter::result_types(const std::vector<ValueId>& values) const {
  // One that is a function's type would be read as the op's own results.
  const bool bare =
      values.size() == 1 && program_.type(type_id(values[0])).kind != Type::Kind::function;
  return bare ? type(values[0]) : str("(", types(values), ")");
}

void FunctionPrinter::print_operation(const Operation& op, size_t indent) {
  out_.append(indent, ' ');
  if (!op.results.empty()) {
    const std::string& first = name(op.results[0]);
    const size_t mark = first.find('#');
    out_ += mark == std::string::npos ? str(names(op.results), " = ")
                                      : str(first.substr(0, mark), ":", op.results.size(), " = ");
  }
  if (!options_.pretty || !print_pretty(*this, op, indent)) print_generic(op, indent);
  print_location(op.location);
  out_ += '\n';
}

void FunctionPrinter::print_generic(const Operation& op, size_t indent) {
  out_ += str("\"", op.name, "\"(", names(op.operands), ")");
  // Attributes of other dialects come last: MLIR's parser drops them from an op's own.
  std::vector<NamedAttribute> own, others;
  for (const NamedAttribute& attribute : op.attributes) {
    (attribute.name.find('.') == std::string_view::npos ? own : others).push_back(attribute);
  }
  if (!own.empty()) out_ += str(" <{", attributes_text(program_, own), "}>");
  print_regions(op, indent);
  out_ += str(braced(others), " : (", types(op.operands), ") -> ", result_types(op.results));
}

void FunctionPrinter::print_regions(const Operation& op, size_t indent) {
  for (size_t i = 0; i < op.regions.size(); ++i) {
    const Region& region = op.regions[i];
    out_ += i == 0 ? " ({\n" : ", {\n";
    if (!region.arguments.empty()) {
      out_.append(indent, ' ');
      out_ += "^bb0(";
      for (size_t k = 0; k < region.arguments.size(); ++k) {
        out_ += str(k == 0 ? "" : ", ", name(region.arguments[k]), ": ", type(region.arguments[k]));
      }
      out_ += "):\n";
    }
    print_operations(region, indent + 2);
    out_.append(indent, ' ');
    out_ += '}';
  }
  if (!op.regions.empty()) out_ += ')';
}

std::string program_text(const Program& program, const PrintOptions& options) {
  std::string out = "module";
  if (!program.name.empty()) out += str(" ", symbol_text(program.name));
  if (!program.attributes.empty()) {
    out += str(" attributes {", attributes_text(program, program.attributes), "}");
  }
  out += " {\n";
  for (const Operation& op : program.operations) {
    out +=
        str("  \"", op.name, "\"() <{", attributes_text(program, op.attributes), "}> : () -> ()\n");
  }
  for (const Function& function : program.functions) {
    FunctionPrinter(program, function, options, out).print();
  }
  out += "}\n";
  if (options.locations) {
    for (const auto& [name, location] : program.locations) {
      out += str("#", name, " = ", location, "\n");
    }
  }
  if (!program.resource_section.empty()) out += str(program.resource_section, "\n");
  return out;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
