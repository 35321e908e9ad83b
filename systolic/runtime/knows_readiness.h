// A buffer that says whether it is computed, without making the host wait.
//
//   const auto* known = dynamic_cast<const runtime::KnowsReadiness*>(buffer.get());
//   if (known != nullptr && known->is_ready()) buffer->to_literal();  // waits for no step
#pragma once

namespace systolic::inline v0 {
namespace runtime {

class KnowsReadiness {
 public:
  virtual ~KnowsReadiness() = default;
  // Whether its elements are there, or what went wrong while they were computed: to_literal() then
  // waits for a copy at most. Thread-safe.
  virtual bool is_ready() const = 0;
};

}  // namespace runtime
}  // namespace systolic::inline v0
