// A source whose i-th element can be computed: whoever keeps a place in it, or its elements in
// another order, need hold numbers only.
#pragma once

#include <memory>

#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {

class IndexedNode : public Node {
 public:
  using Node::Node;
  // i in [0, cardinality()).
  virtual Example element(int64_t i) const = 0;
  std::unique_ptr<Stage> make(const Context& context) const override;
};

}  // namespace data
}  // namespace systolic::inline v0
