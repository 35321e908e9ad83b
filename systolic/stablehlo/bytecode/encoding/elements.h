// Constants: the bytes of their elements, as the text between the brackets of dense<...>.
#pragma once

#include "systolic/stablehlo/bytecode/encoding/reader.h"

namespace systolic::inline v0 {
namespace stablehlo {

// An attribute of kind elements, of tensor type `type`. A few whole numbers are written out ([[0,
// 1], [2, 3]]); everything else is "0x...".
Attribute dense_elements(Reader& reader, const Bytes& bytes, TypeId type, std::string_view data);

// array<ELEMENT: ...> of `count` elements.
Attribute dense_array(Reader& reader, const Bytes& bytes, ElementType element, uint64_t count,
                      std::string_view data);

Attribute integer_attribute(Reader& reader, ElementType element, uint64_t bits);
Attribute float_attribute(Reader& reader, const Bytes& bytes, ElementType element, uint64_t bits);

// Bits that an element takes; 0 for complex numbers and for types that are not numbers.
int bit_width(ElementType element);
bool is_whole(ElementType element);

}  // namespace stablehlo
}  // namespace systolic::inline v0
