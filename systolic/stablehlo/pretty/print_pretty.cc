// Ops in the pretty form, by the rows of pretty_format.h: what parse_pretty.cc reads.
#include <algorithm>
#include <optional>

#include "systolic/base/text.h"
#include "systolic/stablehlo/function_printer.h"
#include "systolic/stablehlo/pretty/pretty_format.h"
#include "systolic/stablehlo/pretty/pretty_pieces.h"
#include "systolic/stablehlo/pretty/pretty_region_forms.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Piece::Kind;

class PrettyPrinter {
 public:
  PrettyPrinter(FunctionPrinter& printer, const Operation& op, const CompiledSyntax& syntax)
      : printer_(printer), op_(op), syntax_(syntax), pieces_(printer.program(), op) {}

  // The op up to its regions, `call` for func.call where it stands right in a function; nothing
  // where the form has no place for what the op has.
  std::optional<std::string> head(bool in_function) {
    const bool bare = in_function && op_.name.substr(0, 5) == "func.";
    text_ = op_.name.substr(bare ? 5 : 0);
    for (size_t i = 0; i < syntax_.pieces.size(); ++i) {
      const Piece& piece = syntax_.pieces[i];
      if (piece.kind == Kind::optional_begin && !group_is_there(i)) {
        while (syntax_.pieces[i].kind != Kind::optional_end) ++i;
      } else if (!add(piece)) {
        return std::nullopt;
      }
    }
    const std::string rest = pieces_.unused_attributes();
    const bool in_front = !syntax_.pieces.empty() && syntax_.pieces[0].kind == Kind::elements;
    if (in_front && !rest.empty()) {
      text_.insert(op_.name.size(), str(" {", rest, "}"));
    } else if (!rest.empty()) {
      text_ += str(" {", rest, "}");
    }
    if (!add_types()) return std::nullopt;
    return std::move(text_);
  }

 private:
  // A group stands where the first attribute in it does.
  bool group_is_there(size_t i) const {
    for (; syntax_.pieces[i].kind != Kind::optional_end; ++i) {
      const Piece& piece = syntax_.pieces[i];
      if (piece.kind == Kind::literal || piece.kind == Kind::optional_begin) continue;
      return pieces_.has(piece);
    }
    return false;
  }

  // Signs with no space before or after them.
  void append(std::string_view token) {
    const bool closes =
        token == "," || token == ")" || token == "]" || token == "(" || token == "[";
    const bool opened = !text_.empty() && (text_.back() == '(' || text_.back() == '[');
    if (!closes && !opened) text_ += ' ';
    text_ += token;
  }

  bool add(const Piece& piece) {
    if (piece.kind == Kind::optional_begin || piece.kind == Kind::optional_end) return true;
    if (piece.kind == Kind::literal) {
      append(piece.text);
      return true;
    }
    if (piece.kind == Kind::operands) {
      if (!op_.operands.empty()) append(printer_.names(op_.operands));
      return true;
    }
    const std::optional<std::string> text = pieces_.text(piece);
    if (text) append(*text);
    return text.has_value();
  }

  bool all_same() const {
    const TypeId first = printer_.type_id(op_.results[0]);
    const auto same = [&](ValueId value) { return printer_.type_id(value) == first; };
    return op_.results.size() == 1 && std::all_of(op_.operands.begin(), op_.operands.end(), same);
  }

  void add_function_type() {
    text_ += str(" : (", printer_.types(op_.operands), ") -> ", printer_.result_types(op_.results));
  }

  bool same_types(const std::vector<ValueId>& a, const std::vector<ValueId>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](ValueId x, ValueId y) {
      return printer_.type_id(x) == printer_.type_id(y);
    });
  }

  // A complex number's type tells those of its parts, as far as their sizes are its own.
  bool implies_operands() const {
    const Type& result = printer_.program().type(printer_.type_id(op_.results[0]));
    return op_.name != "stablehlo.complex" ||
           std::all_of(op_.operands.begin(), op_.operands.end(), [&](ValueId value) {
             return printer_.program().type(printer_.type_id(value)).dims == result.dims;
           });
  }

  bool add_types() {
    const bool has_results = !op_.results.empty();
    switch (syntax_.row->types) {
      case TypeForm::none:
        return pieces_.value_has_type_of(has_results ? printer_.type_id(op_.results[0]) : no_type);
      case TypeForm::function:
        add_function_type();
        return true;
      case TypeForm::result:
        if (has_results && !implies_operands()) {
          add_function_type();
        } else {
          text_ += str(" : ", printer_.types(op_.results));
        }
        return has_results;
      case TypeForm::operands:
        if (!op_.operands.empty()) text_ += str(" : ", operand_types());
        return !has_results;
      case TypeForm::pairwise:
        text_ += str(" : ", printer_.types(op_.operands));
        return has_results && same_types(op_.operands, op_.results);
      case TypeForm::arrow:
        text_ +=
            str(" : ", printer_.types(op_.operands), " -> ", printer_.result_types(op_.results));
        return !op_.operands.empty();
      case TypeForm::same:
        if (!has_results) return false;
        if (!all_same()) {
          add_function_type();
        } else {
          text_ += str(" : ", printer_.type(op_.results[0]));
        }
        return true;
      case TypeForm::select:
        return add_select_types();
    }
    return false;
  }

  // check.expect_eq names the type of both operands once.
  std::string operand_types() const {
    const bool check = op_.name.substr(0, 6) == "check." && op_.operands.size() == 2 &&
                       printer_.type_id(op_.operands[0]) == printer_.type_id(op_.operands[1]);
    return check ? printer_.type(op_.operands[0]) : printer_.types(op_.operands);
  }

  bool add_select_types() {
    if (op_.operands.size() != 3 || op_.results.size() != 1) return false;
    const bool same = printer_.type_id(op_.operands[1]) == printer_.type_id(op_.results[0]) &&
                      printer_.type_id(op_.operands[2]) == printer_.type_id(op_.results[0]);
    if (!same) {
      add_function_type();
    } else {
      text_ += str(" : ", printer_.type(op_.operands[0]), ", ", printer_.type(op_.results[0]));
    }
    return true;
  }

  FunctionPrinter& printer_;
  const Operation& op_;
  const CompiledSyntax& syntax_;
  PrettyPieces pieces_;
  std::string text_;
};

constexpr size_t function_indent = 4;

bool is_return(const Operation& op) { return op.name == "stablehlo.return"; }

// stablehlo.add, where the region is {return add(%a, %b)} of two scalars.
std::optional<std::string_view> named_reducer(const FunctionPrinter& printer, const Operation& op) {
  const Region& body = op.regions[0];
  if (op.operands.size() != 2 || body.arguments.size() != 2 || body.operations.size() != 2) {
    return std::nullopt;
  }
  const Operation &fold = body.operations[0], &back = body.operations[1];
  const bool places = printer.locations() && !(fold.location.empty() && back.location.empty());
  const bool plain = !places && fold.operands == body.arguments && fold.results.size() == 1 &&
                     fold.attributes.empty() && fold.regions.empty() && is_return(back) &&
                     back.operands == fold.results && back.attributes.empty() &&
                     may_fold_by_name(fold.name);
  if (!plain) return std::nullopt;
  const TypeId scalar = printer.type_id(op.operands[1]);
  for (ValueId value : {fold.operands[0], fold.operands[1], fold.results[0]}) {
    if (printer.type_id(value) != scalar) return std::nullopt;
  }
  return fold.name;
}

// The attributes but one, as " {a = 1}".
std::string others(const FunctionPrinter& printer, const Operation& op, std::string_view but,
                   std::string_view before = " ") {
  std::vector<NamedAttribute> rest;
  for (const NamedAttribute& attribute : op.attributes) {
    if (attribute.name != but) rest.push_back(attribute);
  }
  return rest.empty() ? "" : str(before, "{", attributes_text(printer.program(), rest), "}");
}

bool print_reduce(FunctionPrinter& printer, const Operation& op, size_t indent) {
  const Attribute* dimensions = op.find("dimensions");
  const size_t count = op.operands.size() / 2;
  const bool fits = dimensions != nullptr && dimensions->kind == Attribute::Kind::dense_array &&
                    count > 0 && op.operands.size() == 2 * count && op.regions.size() == 1 &&
                    op.regions[0].arguments.size() == 2 * count;
  if (!fits) return false;
  std::string& out = printer.out();
  out += op.name;
  for (size_t i = 0; i < count; ++i) {
    out += str(i == 0 ? "(" : ", (", printer.name(op.operands[i]),
               " init: ", printer.name(op.operands[count + i]), ")");
  }
  const std::optional<std::string_view> name = named_reducer(printer, op);
  if (name) out += str(" applies ", *name);
  out += str(" across dimensions = [", dimensions->text, "]", others(printer, op, "dimensions"),
             " : (", printer.types(op.operands), ") -> ", printer.result_types(op.results));
  if (name) return true;
  out += '\n';
  out.append(indent, ' ');
  out += " reducer";
  const std::vector<ValueId>& arguments = op.regions[0].arguments;
  for (size_t i = 0; i < count; ++i) {
    out += str("(", printer.name(arguments[i]), ": ", printer.type(arguments[i]), ", ",
               printer.name(arguments[count + i]), ": ", printer.type(arguments[count + i]), ") ");
  }
  out += " {\n";
  printer.print_operations(op.regions[0], indent + 2);
  out.append(indent, ' ');
  out += '}';
  return true;
}

bool print_while(FunctionPrinter& printer, const Operation& op, size_t indent) {
  bool fits = op.regions.size() == 2 && op.operands.size() == op.results.size();
  for (size_t r = 0; fits && r < 2; ++r) {
    fits = op.regions[r].arguments.size() == op.operands.size();
    for (size_t i = 0; fits && i < op.operands.size(); ++i) {
      const TypeId type = printer.type_id(op.operands[i]);
      fits = printer.type_id(op.regions[r].arguments[i]) == type &&
             printer.type_id(op.results[i]) == type;
    }
  }
  if (!fits) return false;
  std::string& out = printer.out();
  out += str(op.name, "(");
  for (size_t i = 0; i < op.operands.size(); ++i) {
    out += str(i == 0 ? "" : ", ", printer.name(op.regions[0].arguments[i]), " = ",
               printer.name(op.operands[i]));
  }
  out += ")";
  if (!op.operands.empty()) out += str(" : ", printer.types(op.operands));
  out += others(printer, op, {}, " attributes ");
  const std::string margin(indent, ' ');
  out += str("\n", margin, " cond {\n");
  printer.print_operations(op.regions[0], indent + 2);
  out += str(margin, "} do {\n");
  printer.print_operations(op.regions[1], indent + 2);
  out += str(margin, "}");
  return true;
}

}  // namespace

bool print_pretty(FunctionPrinter& printer, const Operation& op, size_t indent) {
  const CompiledSyntax* syntax = find_syntax(op.name);
  if (syntax == nullptr) return false;
  const std::string_view format = syntax->row->format;
  if (format == "<reduce>") return print_reduce(printer, op, indent);
  if (format == "<while>") return print_while(printer, op, indent);
  if (!op.regions.empty()) return false;
  const std::optional<std::string> head =
      PrettyPrinter(printer, op, *syntax).head(indent == function_indent);
  if (head) printer.out() += *head;
  return head.has_value();
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
