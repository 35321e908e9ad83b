// The pieces of pretty forms that need more than a literal, and the attributes that they produce.
// Forms with regions are read in pretty_region_forms.h.
#pragma once

#include "systolic/stablehlo/parse/parser.h"
#include "systolic/stablehlo/pretty/pretty_format.h"

namespace systolic::inline v0 {
namespace stablehlo {

void parse_piece(Parser& parser, Operation& op, const Piece& piece);

void add_attribute(Operation& op, std::string_view name, Attribute attribute);
Attribute integer_attribute(Parser& parser, int64_t value, ElementType element);
// Whole numbers, as they are written between brackets.
Attribute array_attribute(Parser& parser, std::string_view text, size_t offset);
// [0, 1]
Attribute parse_axes(Parser& parser);

}  // namespace stablehlo
}  // namespace systolic::inline v0
