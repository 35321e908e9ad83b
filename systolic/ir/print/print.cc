#include "systolic/ir/print/print.h"

#include "systolic/base/ascii.h"
#include "systolic/base/text.h"
#include "systolic/ir/print/print_attributes.h"
#include "systolic/ir/print/print_literal.h"
#include "systolic/ir/shard.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

std::string symbol(const std::string& name) {
  bool plain = !name.empty() && !is_ascii_digit(name[0]);
  for (char c : name) {
    plain = plain && (is_ascii_alphanumeric(c) || c == '_' || c == '.');
  }
  if (plain) return str("@", name);
  std::string quoted = "@\"";
  for (char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c >= ' ' && c <= '~' ? c : '_';
  }
  return quoted + "\"";
}

// "{devices=[8,1]<=[8]}" as XLA writes shardings.
std::string sharding_text(const Sharding& sharding, int64_t partitions) {
  if (sharding.replicated()) return "{replicated}";
  const int64_t parts = tile_count(sharding);
  std::string devices = join(sharding.tiles, ",");
  const bool partly = parts < partitions;
  if (partly) devices += str(",", partitions / parts);
  return str("{devices=[", devices, "]<=[", partitions, "]",
             partly ? " last_tile_dim_replicate" : "", "}");
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const Function& function, const PrintOptions& options,
                  std::string& out)
      : module_(module),
        function_(function),
        options_(options),
        out_(out),
        names_(function.types.size()) {}

  void print(bool is_main) {
    out_ += str("  func.func ", is_main ? "public " : "private ", symbol(function_.name), "(");
    std::vector<std::string> arguments, results;
    for (size_t i = 0; i < function_.body.arguments.size(); ++i) {
      const ValueId value = function_.body.arguments[i];
      name_argument(value);
      arguments.push_back(
          str(name(value), ": ", type(value), parameter_text(function_.arguments[i])));
    }
    for (size_t i = 0; i < function_.body.results.size(); ++i) {
      results.push_back(str(type(function_.body.results[i]), parameter_text(function_.results[i])));
    }
    out_ += str(join(arguments), ")");
    if (!results.empty()) out_ += str(" -> (", join(results), ")");
    out_ += " {\n";
    print_ops(function_.body, 4, "return");
    out_ += "  }\n";
  }

 private:
  std::string parameter_text(const Parameter& parameter) const {
    std::vector<std::string> parts;
    if (parameter.sharding && module_.num_partitions > 1) {
      parts.push_back(str("mhlo.sharding = \"",
                          sharding_text(*parameter.sharding, module_.num_partitions), "\""));
    }
    if (parameter.aliases_result) {
      parts.push_back(str("tf.aliasing_output = ", *parameter.aliases_result, " : i32"));
    }
    return parts.empty() ? "" : str(" {", join(parts), "}");
  }

  void name_argument(ValueId value) {
    names_[static_cast<size_t>(value)] = str("%arg", next_argument_++);
  }
  const std::string& name(ValueId value) const { return names_[static_cast<size_t>(value)]; }
  std::string type(ValueId value) const { return mlir_type(function_.type(value)); }

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
  // "(tensor<..>, tensor<..>) -> tensor<..>"
  std::string function_type(const Op& op) const {
    const bool one = op.results.size() == 1;
    return str("(", types(op.operands), ") -> ", one ? "" : "(", types(op.results), one ? "" : ")");
  }
  // One type where all are equal.
  std::string short_type(const Op& op) const {
    const Type& result = function_.type(op.results[0]);
    for (ValueId operand : op.operands) {
      if (!(function_.type(operand) == result)) return function_type(op);
    }
    return mlir_type(result);
  }

  void print_ops(const Block& block, int indent, std::string_view terminator) {
    for (const Op& op : block.ops) print_op(op, indent);
    out_.append(static_cast<size_t>(indent), ' ');
    out_ += terminator;
    if (!block.results.empty()) out_ += str(" ", names(block.results), " : ", types(block.results));
    out_ += '\n';
  }

  // "%3 = ", "%3:2 = "; later uses are "%3#1".
  void print_results(const Op& op) {
    if (op.results.empty()) return;
    const std::string base = str("%", next_value_++);
    const bool many = op.results.size() > 1;
    for (size_t i = 0; i < op.results.size(); ++i) {
      names_[static_cast<size_t>(op.results[i])] = many ? str(base, "#", i) : base;
    }
    out_ += many ? str(base, ":", op.results.size(), " = ") : str(base, " = ");
  }

  void print_op(const Op& op, int indent) {
    out_.append(static_cast<size_t>(indent), ' ');
    const std::string operands = names(op.operands);
    print_results(op);
    if (is_generic(op)) {
      print_generic(op, operands, indent);
    } else {
      print_pretty(op, operands);
    }
    if (options_.locations && op.location.known()) out_ += location_text(op);
    out_ += '\n';
  }

  static bool is_generic(const Op& op) {
    return !op.regions.empty() || op.code == OpCode::gather || op.code == OpCode::custom_call ||
           info(op.code).family == OpFamily::collective;
  }

  void print_regions(const Op& op, int indent) {
    for (size_t i = 0; i < op.regions.size(); ++i) {
      out_ += i == 0 ? " ({\n" : ", {\n";
      print_region(op.regions[i], indent + 2);
      out_.append(static_cast<size_t>(indent), ' ');
      out_ += '}';
    }
    if (!op.regions.empty()) out_ += ')';
  }

  void print_region(const Block& region, int indent) {
    if (!region.arguments.empty()) {
      std::vector<std::string> arguments;
      for (ValueId argument : region.arguments) {
        name_argument(argument);
        arguments.push_back(str(name(argument), ": ", type(argument)));
      }
      out_.append(static_cast<size_t>(indent - 2), ' ');
      out_ += str("^bb0(", join(arguments), "):\n");
    }
    print_ops(region, indent, "stablehlo.return");
  }

  void print_generic(const Op& op, const std::string& operands, int indent) {
    const std::string attributes = generic_attributes(op, module_);
    out_ += str("\"stablehlo.", info(op.code).name, "\"(", operands, ")");
    if (!attributes.empty()) out_ += str(" <{", attributes, "}>");
    print_regions(op, indent);
    const std::string others = attributes_of_others(op);
    if (!others.empty()) out_ += str(" {", others, "}");
    out_ += str(" : ", function_type(op));
  }

  void print_pretty(const Op& op, const std::string& operands) {
    const std::string start = str("stablehlo.", info(op.code).name);
    switch (op.code) {
      case OpCode::constant:
        out_ += str(start, " ", constant_text(op));
        return;
      case OpCode::compare: {
        const auto [direction, compared] =
            compare_words(op.get<CompareAttributes>(), function_.type(op.operands[0]).dtype);
        out_ +=
            str(start, " ", direction, ", ", operands, ", ", compared, " : ", function_type(op));
        return;
      }
      case OpCode::erf:
        out_ +=
            str("chlo.erf ", operands, " : ", type(op.operands[0]), " -> ", type(op.results[0]));
        return;
      case OpCode::select:
        out_ += str(start, " ", operands, " : ", type(op.operands[0]), ", ", type(op.results[0]));
        return;
      case OpCode::convolution:
        out_ +=
            str(start, "(", operands, ") ", convolution_attributes(op.get<ConvolutionAttributes>()),
                " : ", function_type(op));
        return;
      case OpCode::call:
        out_ += str("func.call ", symbol(op.get<CallAttributes>().callee), "(", operands,
                    ") : ", function_type(op));
        return;
      case OpCode::optimization_barrier:
        out_ += str(start, " ", operands, " : ", types(op.results));
        return;
      default:
        break;
    }
    out_ += str(start, operands.empty() ? "" : " ", operands, pretty_attributes(op), " : ");
    out_ += prints_short_type(op) ? op.operands.empty() ? type(op.results[0]) : short_type(op)
                                  : function_type(op);
  }

  // Ops whose text has one type when all are equal; the others always have a function type.
  static bool prints_short_type(const Op& op) {
    const OpFamily family = info(op.code).family;
    return family == OpFamily::unary || family == OpFamily::binary || family == OpFamily::ternary ||
           family == OpFamily::source || op.code == OpCode::reverse ||
           op.code == OpCode::reduce_precision;
  }

  std::string constant_text(const Op& op) const {
    const Literal& literal = op.get<ConstantAttributes>().value;
    const bool elided = options_.elide_elements >= 0 && literal.size() > options_.elide_elements;
    return str(elided ? "dense_resource<__elided__>" : mlir_dense(literal), " : ",
               type(op.results[0]));
  }

  static std::string location_text(const Op& op) {
    const std::string line = str("\"", op.location.file, "\":", op.location.line, ":0");
    const std::string_view layer = op.layer_path;
    return layer.empty() ? str(" loc(", line, ")") : str(" loc(\"", layer, "\"(", line, "))");
  }

  const Module& module_;
  const Function& function_;
  const PrintOptions& options_;
  std::string& out_;
  std::vector<std::string> names_;
  int next_argument_ = 0;
  int next_value_ = 0;
};

}  // namespace

std::string to_text(const Module& module, PrintOptions options) {
  std::string out = str("module ", symbol(module.name),
                        " attributes {mhlo.num_partitions = ", module.num_partitions,
                        " : i32, mhlo.num_replicas = ", module.num_replicas, " : i32} {\n");
  for (size_t i = 0; i < module.functions.size(); ++i) {
    FunctionPrinter(module, module.functions[i], options, out).print(i == 0);
  }
  return out + "}\n";
}

}  // namespace ir
}  // namespace systolic::inline v0
