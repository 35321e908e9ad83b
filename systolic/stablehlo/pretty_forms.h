// The pieces of pretty forms that need more than a literal.
#pragma once

#include "systolic/stablehlo/parser.h"
#include "systolic/stablehlo/pretty_format.h"

namespace systolic::inline v0 {
namespace stablehlo {

void parse_piece(Parser& parser, Operation& op, const Piece& piece);

// May a reduce name this op instead of writing its region, "applies stablehlo.add"?
bool may_fold_by_name(std::string_view op);

// while(%a = %b, ...) : T, ... cond {...} do {...}; gives the result types.
std::vector<TypeId> parse_while(Parser& parser, Operation& op);
// What stands behind the types of a reduce that does not `apply` a named op:
// reducer(%a: T, %b: T) (%c: U, %d: U) {...}
void parse_reducer(Parser& parser, Operation& op);

}  // namespace stablehlo
}  // namespace systolic::inline v0
