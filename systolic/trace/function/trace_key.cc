#include "systolic/trace/function/trace_key.h"

namespace systolic::inline v0 {

void TraceKey::add_identity(std::shared_ptr<const void> object) {
  add(reinterpret_cast<uintptr_t>(object.get()));
  kept_.push_back(std::move(object));
}

void TraceKey::add_literal(const Literal& literal) {
  add(literal.dtype());
  add(literal.shape());
  if (literal.dtype() == DType::string) {
    for (int64_t i = 0; i < literal.size(); ++i) add(literal.string_at(i));
  } else {
    bytes_.append(reinterpret_cast<const char*>(literal.raw()), literal.byte_size());
  }
}

}  // namespace systolic::inline v0
