// Operations in the pretty form, by the rows of pretty_format.h.
#include "systolic/base/error.h"
#include "systolic/stablehlo/parse/parser.h"
#include "systolic/stablehlo/pretty/pretty_format.h"
#include "systolic/stablehlo/pretty/pretty_forms.h"
#include "systolic/stablehlo/pretty/pretty_region_forms.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// After a group that is not there.
size_t skip_group(const std::vector<Piece>& pieces, size_t i) {
  while (pieces[i].kind != Piece::Kind::optional_end) ++i;
  return i;
}

std::vector<TypeId> types_of_form(Parser& parser, const Operation& op, TypeForm form) {
  Scanner& scan = parser.scan();
  if (form == TypeForm::none) return {};
  if (form == TypeForm::function) return parser.function_type(op);
  if (form == TypeForm::operands && op.operands.empty() && !scan.next_is(":")) return {};
  scan.expect(":");
  const size_t start = scan.position();
  const bool may_be_function = form == TypeForm::same || form == TypeForm::select ||
                               (form == TypeForm::result && !op.operands.empty());
  if (may_be_function && scan.peek() == '(') {
    parser.check_operand_types(op, parser.type_list_or_one(), start);
    scan.expect("->");
    return parser.type_list_or_one();
  }
  const std::vector<TypeId> types = parser.type_list();
  if (form == TypeForm::result) return types;
  if (form == TypeForm::arrow) {
    parser.check_operand_types(op, types, start);
    scan.expect("->");
    return parser.type_list_or_one();
  }
  if (form == TypeForm::operands || form == TypeForm::pairwise) {
    // check.expect_eq names one type for both operands.
    const bool one_for_all = form == TypeForm::operands && types.size() == 1;
    parser.check_operand_types(op, one_for_all ? std::vector(op.operands.size(), types[0]) : types,
                               start);
    return form == TypeForm::pairwise ? types : std::vector<TypeId>{};
  }
  if (form == TypeForm::select) {
    if (types.size() != 2) scan.fail_at(start, "two types", "cannot read the types of a select");
    parser.check_operand_types(op, {types[0], types[1], types[1]}, start);
    return {types[1]};
  }
  parser.check_operand_types(op, std::vector(op.operands.size(), types[0]), start);
  return types;
}

void parse_pieces(Parser& parser, Operation& op, const std::vector<Piece>& pieces) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    switch (piece.kind) {
      case Piece::Kind::literal:
        parser.scan().expect(piece.text);
        break;
      case Piece::Kind::operands:
        parser.operand_list(op.operands);
        break;
      case Piece::Kind::optional_begin: {
        // A comma may start several groups: the word after it decides.
        const size_t before = parser.scan().position();
        bool there = true;
        size_t next = i + 1;
        for (; there && pieces[next].kind == Piece::Kind::literal; ++next) {
          there = parser.scan().accept(pieces[next].text);
        }
        if (!there) parser.scan().move_to(before);
        i = there ? next - 1 : skip_group(pieces, i);
        break;
      }
      case Piece::Kind::optional_end:
        break;
      default:
        parse_piece(parser, op, piece);
    }
  }
}

// constant() {value = dense<...> : T} : () -> U, where U is not T, as of quantized constants.
std::vector<TypeId> function_constant(Parser& parser, Operation& op) {
  parser.scan().expect("(");
  parser.scan().expect(")");
  parser.attribute_dictionary(op.attributes);
  if (op.find("value") == nullptr) parser.scan().fail("the constant's value in {...}");
  return parser.function_type(op);
}

}  // namespace

std::vector<TypeId> Parser::pretty_operation(Operation& op) {
  const CompiledSyntax* syntax = find_syntax(op.name);
  if (syntax == nullptr) {
    scan_.fail_at(op.offset, str("\"", op.name, "\"(...) : (...) -> ..., the generic form"),
                  str("op ", op.name, " has no pretty form here"));
  }
  if (op.name == "stablehlo.constant" && scan_.peek() == '(') return function_constant(*this, op);
  parse_pieces(*this, op, syntax->pieces);
  const bool loop = syntax->row->format == "<while>";
  if (loop) return parse_while(*this, op);
  const bool reduces = syntax->row->format == "<reduce>";
  const bool has_body = syntax->row->format == "<scan>" || syntax->row->format == "<manual>";
  if (!has_body) attribute_dictionary(op.attributes);
  std::vector<TypeId> results = types_of_form(*this, op, syntax->row->types);
  if (reduces) parse_reducer(*this, op);
  const Attribute* value = op.find("value");
  if (op.name == "stablehlo.constant" || op.name == "chlo.constant" ||
      op.name == "arith.constant") {
    const bool typed = value->type != no_type;
    if (!typed || program_.type(value->type).kind != Type::Kind::tensor) {
      scan_.fail("': ' and the tensor type of the constant");
    }
    results = {value->type};
  }
  return results;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
