// What a Dataset says of itself, its iterators, and with_options.
#include "systolic/data/dataset.h"

#include "systolic/base/error.h"
#include "systolic/data/node.h"

namespace systolic::inline v0 {
namespace data {
namespace {

class OptionsNode : public Node {
 public:
  OptionsNode(NodePointer input, Options options)
      : Node("with_options", options), input_(std::move(input)) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return input_->make(context);
  }
  int64_t cardinality() const override { return input_->cardinality(); }
  ElementSpec spec() const override { return input_->spec(); }
  std::vector<const Node*> inputs() const override { return {input_.get()}; }

 private:
  NodePointer input_;
};

}  // namespace

Dataset Dataset::with_options(Options options) const {
  return Dataset(std::make_shared<OptionsNode>(node_, options));
}

ElementSpec Dataset::element_spec() const { return node_->spec(); }
int64_t Dataset::cardinality() const { return node_->cardinality(); }
Iterator Dataset::iterator() const { return Iterator(node_); }

Iterator Dataset::iterator(std::string_view saved, SourceLocation location) const {
  try {
    return Iterator(node_, saved);
  } catch (const Error& error) {
    error.rethrow_within("", location);
  }
}

Example Dataset::first(SourceLocation location) const {
  Iterator one = iterator();
  if (auto element = one.next()) return std::move(*element);
  raise<FailedPrecondition>({.what = "the dataset is empty",
                             .hint = "check the files and the filters it is made of",
                             .location = location});
}

}  // namespace data
}  // namespace systolic::inline v0
