#include "systolic/torch_xla/ordinals/ordinal.h"

namespace systolic::inline v0 {
namespace torch_xla {

static thread_local Ordinal* ordinal_of_thread = nullptr;

Ordinal* Ordinal::current() { return ordinal_of_thread; }
OrdinalScope::OrdinalScope(Ordinal& ordinal) { ordinal_of_thread = &ordinal; }
OrdinalScope::~OrdinalScope() { ordinal_of_thread = nullptr; }

}  // namespace torch_xla
}  // namespace systolic::inline v0
