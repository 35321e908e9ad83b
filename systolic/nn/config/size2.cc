#include "systolic/nn/config/size2.h"

#include "systolic/base/text.h"

namespace systolic::inline v0 {

std::string to_string(Size2 size) { return str("(", size.height, ", ", size.width, ")"); }

}  // namespace systolic::inline v0
