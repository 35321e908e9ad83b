// What enters and leaves a program, and asynchronous ops.
#include <algorithm>
#include <array>

#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// layout = [[1, 0], []]: an order of axes for each result but the token, and lists for tuples.
void verify_layout(const OpVerifier& op, const Attribute& layout, size_t depth) {
  for (const Attribute& item : layout.items) {
    const bool list = item.kind == Attribute::Kind::array;
    op.require(depth == 0 ? list : item.kind == Attribute::Kind::integer, 0, [&] {
      return Violation{depth == 0 ? "an element of layout" : "an axis of layout",
                       attribute_text(op.program(), item), depth == 0 ? "a list" : "a number"};
    });
    if (list) verify_layout(op, item, depth + 1);
  }
}

}  // namespace

void verify_infeed(const OpVerifier& op) {
  const NamedValues results = op.results();
  op.require(!results.empty(), 1, [] { return Violation{"size(results)", "0", "1 or more"}; });
  for (size_t i = 0; i + 1 < results.size(); ++i) {
    const Type::Kind kind = results[i].type->kind;
    op.require(kind == Type::Kind::tensor || kind == Type::Kind::tuple, 2, [&] {
      return Violation{str("type(", results[i].text(), ")"), op.type_of(results[i]), "an array"};
    });
  }
  const NamedValue& last = results.back();
  op.require(last.type->kind == Type::Kind::token, 3, [&] {
    return Violation{str("type(", last.text(), ")"), op.type_of(last), "!stablehlo.token"};
  });
  if (const Attribute* layout = op.find("layout")) {
    op.size_is(0, "layout", layout->items.size(), static_cast<int64_t>(results.size()) - 1);
    verify_layout(op, *layout, 0);
  }
}

namespace {

constexpr std::string_view future = "!stablehlo.future<";

bool may_be_asynchronous(std::string_view name) {
  constexpr std::array names = {"stablehlo.all_reduce",
                                "stablehlo.all_gather",
                                "stablehlo.all_to_all",
                                "stablehlo.collective_permute",
                                "stablehlo.reduce_scatter",
                                "stablehlo.collective_broadcast",
                                "stablehlo.slice",
                                "stablehlo.dynamic_slice",
                                "stablehlo.dynamic_update_slice"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string types_of(const OpVerifier& op, const NamedValues& values) {
  std::vector<std::string> types;
  for (const NamedValue& value : values) types.push_back(op.type_of(value));
  return join(types);
}

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

// future<T> with the types T.
void is_future(const OpVerifier& op, int label, const NamedValue& value, const NamedValues& of) {
  const std::string wanted = str(future, types_of(op, of), ">");
  op.require(without_spaces(op.type_of(value)) == without_spaces(wanted), label, [&] {
    return Violation{str("type(", value.text(), ")"), op.type_of(value), wanted};
  });
}

}  // namespace

void verify_async_start(const OpVerifier& op) {
  const std::vector<Operation>& body = op.op().regions[0].operations;
  op.require(body.size() == 2 && body[1].name == "stablehlo.return", 1, [&] {
    return Violation{"operations of the body", str(body.size()), "2, the last of them a return"};
  });
  op.require(may_be_asynchronous(body[0].name), 2, [&] {
    return Violation{"the op of the body", std::string(body[0].name), "a collective or a slice"};
  });
  // The specification's example takes the operands from around the body, StableHLO's own tests as
  // its arguments.
  const std::vector<ValueId>& arguments = op.op().regions[0].arguments;
  const bool from_around = arguments.empty();
  if (!from_around) {
    op.same_types(3, op.operands("operands"), op.arguments(0, "argument of the body"), "operands");
  }
  op.require(body[0].operands == (from_around ? op.op().operands : arguments), 3, [&] {
    return Violation{str("operands of ", body[0].name), str(body[0].operands.size()),
                     str("the ", from_around ? "operands" : "body's arguments", " in their order")};
  });
  is_future(op, 4, op.result(), op.returned(0, "result of the body"));
}

void verify_async_done(const OpVerifier& op) {
  is_future(op, 1, op.operand(0, "operand"), op.results());
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
