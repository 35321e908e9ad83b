// What strategy.scope gives back for what its body returns. Internal.
#pragma once

namespace systolic::inline v0 {

// The same, unless a layer above says otherwise: train makes a Model of a Network while the scope
// is still open, or it would be made behind it, on one core.
template <class Returned>
struct MadeInScope {
  using type = Returned;
};

}  // namespace systolic::inline v0
