// What strategy.scope returns for the result of its body. Internal.
#pragma once

namespace systolic::inline v0 {

// The result itself, unless a layer above says otherwise: train makes a Model from a Network while
// the scope is still open; otherwise it would be made later, on one core.
template <class Returned>
struct MadeInScope {
  using type = Returned;
};

}  // namespace systolic::inline v0
