// Does what a program computed agree with what it expects?
#pragma once

#include <optional>
#include <string>

#include "systolic/core/literal.h"
#include "systolic/stablehlo/import/import.h"

namespace tool {

// Nothing when they agree; else the first element that does not, with both values and how far they
// lie apart. As StableHLO's own check ops compare: equal and probed (NaN is to NaN, which is what
// a test that expects one means), almost_equal by the difference, close by the number of floats
// between.
std::optional<std::string> mismatch(const systolic::stablehlo::Check& check,
                                    const systolic::Literal& actual,
                                    const systolic::Literal& expected);

}  // namespace tool
