#include "systolic/stablehlo/print.h"

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

class FunctionPrinter {
 public:
  FunctionPrinter(const Program& program, const Function& function, std::string& out)
      : program_(program), function_(function), out_(out), names_(function.values.size()) {}

  void print() {
    out_ += "  func.func ";
    if (!function_.visibility.empty()) out_ += str(function_.visibility, " ");
    out_ += str(symbol_text(function_.name), "(");
    print_parameters();
    out_ += ")";
    print_results();
    if (!function_.attributes.empty()) {
      out_ += str(" attributes {", attributes_text(program_, function_.attributes), "}");
    }
    if (function_.declared_only) {
      out_ += '\n';
      return;
    }
    out_ += " {\n";
    print_operations(function_.body, 4);
    out_ += "  }\n";
  }

 private:
  std::string type(ValueId value) const { return type_text(program_, function_.type(value)); }
  const std::string& name(ValueId value) const { return names_[static_cast<size_t>(value)]; }

  void name_argument(ValueId value) {
    names_[static_cast<size_t>(value)] = str("%arg", next_argument_++);
  }

  std::string braced(const std::vector<NamedAttribute>& attributes) const {
    return attributes.empty() ? "" : str(" {", attributes_text(program_, attributes), "}");
  }

  void print_parameters() {
    for (size_t i = 0; i < function_.body.arguments.size(); ++i) {
      const ValueId value = function_.body.arguments[i];
      name_argument(value);
      out_ += str(i == 0 ? "" : ", ", function_.declared_only ? "" : str(name(value), ": "),
                  type(value), braced(function_.argument_attributes[i]));
    }
  }

  void print_results() {
    if (function_.result_types.empty()) return;
    out_ += " -> (";
    for (size_t i = 0; i < function_.result_types.size(); ++i) {
      out_ += str(i == 0 ? "" : ", ", type_text(program_, function_.result_types[i]),
                  braced(function_.result_attributes[i]));
    }
    out_ += ")";
  }

  void print_operations(const Region& region, size_t indent) {
    for (const Operation& op : region.operations) print_operation(op, indent);
  }

  std::string names(const std::vector<ValueId>& values) const {
    std::vector<std::string> parts;
    for (ValueId value : values) parts.push_back(name(value));
    return join(parts);
  }
  std::string types(const std::vector<ValueId>& values) const {
    std::vector<std::string> parts;
    for (ValueId value : values) parts.push_back(type(value));
    return join(parts);
  }

  void print_operation(const Operation& op, size_t indent) {
    out_.append(indent, ' ');
    if (!op.results.empty()) {
      const std::string base = str("%", next_value_++);
      const bool many = op.results.size() > 1;
      for (size_t i = 0; i < op.results.size(); ++i) {
        names_[static_cast<size_t>(op.results[i])] = many ? str(base, "#", i) : base;
      }
      out_ += many ? str(base, ":", op.results.size(), " = ") : str(base, " = ");
    }
    out_ += str("\"", op.name, "\"(", names(op.operands), ")");
    if (!op.attributes.empty()) {
      out_ += str(" <{", attributes_text(program_, op.attributes), "}>");
    }
    print_regions(op, indent);
    out_ += str(" : (", types(op.operands), ") -> ");
    // One that is a function's type would be read as the op's own results.
    const bool one = op.results.size() == 1 &&
                     program_.type(function_.type(op.results[0])).kind != Type::Kind::function;
    out_ += one ? type(op.results[0]) : str("(", types(op.results), ")");
    out_ += '\n';
  }

  void print_regions(const Operation& op, size_t indent) {
    for (size_t i = 0; i < op.regions.size(); ++i) {
      const Region& region = op.regions[i];
      out_ += i == 0 ? " ({\n" : ", {\n";
      if (!region.arguments.empty()) {
        out_.append(indent, ' ');
        out_ += "^bb0(";
        for (size_t k = 0; k < region.arguments.size(); ++k) {
          name_argument(region.arguments[k]);
          out_ +=
              str(k == 0 ? "" : ", ", name(region.arguments[k]), ": ", type(region.arguments[k]));
        }
        out_ += "):\n";
      }
      print_operations(region, indent + 2);
      out_.append(indent, ' ');
      out_ += '}';
    }
    if (!op.regions.empty()) out_ += ')';
  }

  const Program& program_;
  const Function& function_;
  std::string& out_;
  std::vector<std::string> names_;
  int64_t next_argument_ = 0, next_value_ = 0;
};

}  // namespace

std::string program_text(const Program& program) {
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
    FunctionPrinter(program, function, out).print();
  }
  return out + "}\n";
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
