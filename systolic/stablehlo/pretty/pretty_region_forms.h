// The pretty forms of ops that have regions.
#pragma once

#include <string_view>
#include <vector>

#include "systolic/stablehlo/parse/parser.h"

namespace systolic::inline v0 {
namespace stablehlo {

// May a reduce name this op instead of writing its region, "applies stablehlo.add"?
bool may_fold_by_name(std::string_view op);
// (%a init: %b), (%c init: %d) [applies stablehlo.add] across dimensions = [0]
void parse_reduce(Parser& parser, Operation& op);
// What follows the types of a reduce that does not `apply` a named op:
// reducer(%a: T, %b: T) (%c: U, %d: U) {...}
void parse_reducer(Parser& parser, Operation& op);

// while(%a = %b, ...) : T, ... cond {...} do {...}; gives the result types.
std::vector<TypeId> parse_while(Parser& parser, Operation& op);
// (%input, ...) inits(%init, ...) dimension=0 [attributes {...}] {region}
void parse_scan(Parser& parser, Operation& op);
// (%a, ...) in_shardings=[...] out_shardings=[...] manual_axes={...} (%x: T, ...) {region}
void parse_manual(Parser& parser, Operation& op);

}  // namespace stablehlo
}  // namespace systolic::inline v0
