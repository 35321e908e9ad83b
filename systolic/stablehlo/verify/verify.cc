#include "systolic/stablehlo/verify/verify.h"

#include <algorithm>
#include <unordered_map>

#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/attributes.h"
#include "systolic/stablehlo/verify/op/quantized_type.h"
#include "systolic/stablehlo/verify/rules/table.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

bool is_of_class(const Type& type, char letter) {
  switch (letter) {
    case 'b':
      return is_boolean(type);
    case 'i':
      return is_integer(type);
    case 'n':
      return is_integer(type) || (!type.quantization && type.element == ElementType::index);
    case 't':
      return !is_per_axis_quantized(type);
    case 's':
      return is_signed_integer(type);
    case 'f':
      return is_float(type);
    case 'c':
      return is_complex(type);
    case 'q':
      return is_per_tensor_quantized(type);
    case 'Q':
      return is_quantized(type);
    default:
      return true;
  }
}

// The number of axes after the letters; -1: any.
int axes_in(std::string_view letters) {
  const char last = letters.empty() ? ' ' : letters.back();
  return last >= '0' && last <= '9' ? last - '0' : -1;
}

bool sizes_are_known(const Type& type) {
  return std::find(type.dims.begin(), type.dims.end(), dynamic_size) == type.dims.end();
}

bool is_taken(const Type& type, std::string_view letters) {
  if (type.kind != Type::Kind::tensor) return false;
  const int axes = axes_in(letters);
  if (axes >= 0 && !type.unranked && type.dims.size() != static_cast<size_t>(axes)) return false;
  if (axes >= 0) letters.remove_suffix(1);
  if (letters == "*") return true;
  if (letters == "n" && !type.unranked && !sizes_are_known(type)) return false;
  return std::any_of(letters.begin(), letters.end(),
                     [&](char letter) { return is_of_class(type, letter); });
}

std::string classes_text(std::string_view letters) {
  const int axes = axes_in(letters);
  constexpr std::pair<char, std::string_view> names[] = {
      {'b', "i1"},
      {'i', "integers"},
      {'n', "integers, of a known size"},
      {'t', "elements that are not quantized per axis"},
      {'s', "signed integers"},
      {'f', "floats"},
      {'c', "complex numbers"},
      {'q', "numbers quantized per tensor"},
      {'Q', "quantized numbers"}};
  std::vector<std::string> parts;
  for (const auto& [letter, name] : names) {
    if (letters.find(letter) != std::string_view::npos) parts.emplace_back(name);
  }
  const std::string shape = axes < 0 ? "an array"
                            : axes == 0
                                ? "a scalar"
                                : str("an array with ", axes, axes == 1 ? " axis" : " axes");
  return parts.empty() ? shape : str(shape, " of ", join(parts, " or "));
}

int64_t cores_of(const Program& program, std::string_view name) {
  const Attribute* count = find(program.attributes, name);
  constexpr int64_t most = 1 << 20;
  const bool given = count != nullptr && count->integer > 0 && count->integer <= most;
  return given ? count->integer : 0;
}

// Bounds for each axis, arrays in futures, and no type that StableHLO lacks.
void verify_known_type(const Program& program, TypeId id, size_t offset) {
  const Type& type = program.type(id);
  constexpr std::string_view dialect = "!stablehlo.";
  if (type.kind == Type::Kind::opaque && type.encoding.substr(0, dialect.size()) == dialect) {
    raise_at(program, offset, "StableHLO has no such type", std::string(type.encoding),
             "!stablehlo.token or !stablehlo.future<...>");
  }
  if (type.kind == Type::Kind::future) {
    for (TypeId part : type.parts) {
      if (program.type(part).kind == Type::Kind::tensor) continue;
      raise_at(program, offset, "a part of a future", type_text(program, part), "a tensor");
    }
  }
  const size_t bounds = bounds_of(type).size();
  if (bounds == 0 || bounds == type.dims.size()) return;
  raise_at(program, offset, str("size(bounds) of ", type_text(program, id)), str(bounds),
           str(type.dims.size(), ", its rank"));
}

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program), known_types_(program.types.size(), false) {
    cores_ = {cores_of(program, "mhlo.num_replicas"), cores_of(program, "mhlo.num_partitions")};
    for (const Function& function : program.functions) functions_[function.name] = &function;
  }

  void verify() {
    verify_attributes(program_, program_.attributes);
    for (const Function& function : program_.functions) {
      function_ = &function;
      makers_.assign(function.values.size(), nullptr);
      verify_attributes(program_, function.attributes);
      for (TypeId type : function.result_types) verify_type(type, function.offset);
      verify_types(function.body.arguments, function.offset);
      verify_region(function.body);
      if (!function.declared_only) verify_end(function.body, "func.return", function.offset);
    }
  }

 private:
  // Every type once, where it stands first.
  void verify_types(const std::vector<ValueId>& values, size_t offset) {
    for (ValueId value : values) verify_type(function_->type(value), offset);
  }
  void verify_type(TypeId id, size_t offset) {
    if (known_types_[static_cast<size_t>(id)]) return;
    known_types_[static_cast<size_t>(id)] = true;
    const Type& type = program_.type(id);
    if (type.quantization) verify_quantized_type(program_, id, offset);
    verify_known_type(program_, id, offset);
    for (TypeId part : type.parts) verify_type(part, offset);
  }

  // A block ends in its return, which is an op of this name or, where none is given, of any
  // dialect.
  void verify_end(const Region& region, std::string_view name, size_t offset) {
    constexpr std::string_view any = ".return";
    const std::string_view last = region.operations.empty() ? "" : region.operations.back().name;
    const bool ends = last.size() > any.size() && last.substr(last.size() - any.size()) == any;
    if (ends && (name.empty() || last == name)) return;
    // An op that nobody here knows may end a block too.
    const std::string_view dialect = last.substr(0, last.find('.'));
    const bool known = dialect == "stablehlo" || dialect == "chlo" || dialect == "func";
    if (!last.empty() && !known) return;
    raise_at(program_, region.operations.empty() ? offset : region.operations.back().offset,
             "the last op of a block", last.empty() ? "none" : std::string(last),
             name.empty() ? "stablehlo.return" : std::string(name));
  }

  void verify_region(const Region& region) {
    for (const Operation& op : region.operations) {
      const bool returns = op.name == "func.return" || op.name == "stablehlo.return";
      if (returns && &op != &region.operations.back()) {
        raise_at(program_, op.offset, str(op.name, " with ops after it"), {},
                 "a return as the last op of its block");
      }
      verify_types(op.results, op.offset);
      for (const Region& inner : op.regions) {
        verify_types(inner.arguments, op.offset);
        verify_region(inner);
        if (find_op_row(op.name) != nullptr && !inner.operations.empty()) {
          verify_end(inner, "", op.offset);
        }
      }
      verify_operation(op);
      for (ValueId result : op.results) makers_[static_cast<size_t>(result)] = &op;
    }
  }

  void verify_operation(const Operation& op) {
    const OpVerifier verifier(program_, *function_, op, cores_, makers_);
    verify_attributes(program_, op.attributes);
    if (op.name == "func.call") return verify_call(verifier);
    if (op.name == "func.return") return verify_return(verifier);
    const OpRow* row = find_op_row(op.name);
    if (row == nullptr) return;
    verify_counts(verifier, *row);
    if (!row->elements.empty() && !verify_operands(verifier, *row)) return;
    row->verify(verifier);
  }

  static void verify_count(const OpVerifier& op, std::string_view what, size_t got, int wanted) {
    if (wanted < 0 || got == static_cast<size_t>(wanted)) return;
    op.fail_unlabelled({str("number of ", what), str(got), str(wanted)});
  }

  static void verify_counts(const OpVerifier& op, const OpRow& row) {
    verify_count(op, "operands", op.op().operands.size(), row.operands);
    verify_count(op, "results", op.op().results.size(), row.results);
    verify_count(op, "regions", op.op().regions.size(), row.regions);
    // Slices take one operand or two besides the indices, collectives one, scatter three.
    const size_t least = row.name == "dynamic_update_slice" ? 2
                         : row.name == "dynamic_slice"      ? 1
                                                            : 0;
    if (op.op().operands.size() < least) {
      op.fail_unlabelled(
          {"number of operands", str(op.op().operands.size()), str(least, " or more")});
    }
  }

  // All operands and results are arrays with elements that the op takes. False where the rank of
  // one is not known, so that there is nothing to compare.
  bool verify_operands(const OpVerifier& op, const OpRow& row) const {
    std::string_view rest = row.elements, letters;
    bool ranked = true;
    for (size_t i = 0; i < op.op().operands.size(); ++i) {
      if (!rest.empty()) {
        letters = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(letters.size() + 1, rest.size()));
      }
      const NamedValue value = op.operand(i, "operand");
      if (!is_taken(*value.type, letters)) {
        op.fail_as('i', static_cast<int>(i) + 1,
                   {str("operand ", i), op.type_of(value), classes_text(letters)});
      }
      ranked = ranked && !value.type->unranked;
    }
    for (const NamedValue& result : op.results()) ranked = ranked && !result.type->unranked;
    return ranked;
  }

  void same_types(const OpVerifier& op, std::string_view what, const std::vector<ValueId>& got,
                  const std::vector<TypeId>& wanted) const {
    if (got.size() != wanted.size()) {
      op.fail_unlabelled({str("number of ", what), str(got.size()), str(wanted.size())});
    }
    for (size_t i = 0; i < got.size(); ++i) {
      if (same_type(program_, function_->type(got[i]), wanted[i])) continue;
      op.fail_unlabelled({str(what, " ", i), type_text(program_, function_->type(got[i])),
                          type_text(program_, wanted[i])});
    }
  }

  void verify_call(const OpVerifier& op) const {
    const std::string_view callee = op.required("callee").text;
    const auto found = functions_.find(callee);
    if (found == functions_.end()) {
      op.fail_unlabelled({str("there is no function @", callee), {}, "a function of the module"});
    }
    const Function& function = *found->second;
    std::vector<TypeId> inputs;
    for (ValueId argument : function.body.arguments) inputs.push_back(function.type(argument));
    same_types(op, "operand", op.op().operands, inputs);
    same_types(op, "result", op.op().results, function.result_types);
  }

  void verify_return(const OpVerifier& op) const {
    same_types(op, "operand", op.op().operands, function_->result_types);
  }

  const Program& program_;
  std::vector<bool> known_types_;
  ModuleCores cores_;
  std::unordered_map<std::string_view, const Function*> functions_;
  const Function* function_ = nullptr;
  Makers makers_;
};

}  // namespace

void verify(const Program& program) { Verifier(program).verify(); }

}  // namespace stablehlo
}  // namespace systolic::inline v0
