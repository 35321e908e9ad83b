// Dropping elements at random until the classes come as often as wanted.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/drawn_seed.h"
#include "systolic/data/node.h"
#include "systolic/data/transformations/map.h"

namespace systolic::inline v0 {
namespace data {
namespace {

using ClassOf = std::function<int64_t(const Example&)>;

// Keeps class c with the probability target[c] / initial[c], over the largest of these.
class ResampleStage : public Stage {
 public:
  ResampleStage(const Context& context, const Node& node, std::unique_ptr<Stage> input,
                const ClassOf& class_of, const std::vector<double>& target,
                const std::vector<double>& initial, uint64_t key)
      : Stage(context, &node, node.label()),
        node_(node),
        input_(std::move(input)),
        class_of_(class_of),
        target_(target),
        initial_(initial),
        counts_(target.size(), 1),
        key_(key) {}

 protected:
  Chunk produce(int64_t most) override {
    for (;;) {
      check_cancelled();
      Chunk chunk = input_->next(most);
      if (chunk.empty()) return chunk;
      Chunk kept;
      for (Example& element : chunk) {
        try {
          offer(element, kept);
        } catch (...) {
          return fail_after(std::move(kept));
        }
      }
      if (!kept.empty()) return kept;
    }
  }
  void transfer_members(StateArchive& archive) override {
    archive.expect("classes", static_cast<int64_t>(target_.size()));
    archive.number(key_);
    archive.number(drawn_);
    for (int64_t& count : counts_) archive.integer(count, 1, StateArchive::largest_count);
    input_->transfer(archive);
  }

 private:
  // Adds the element to `kept`, or not.
  void offer(Example& element, Chunk& kept) {
    const auto with_class = [this](const Example& whole) {
      Example::Components parts(whole.begin(), whole.end());
      parts.insert(parts.begin(), {"class", Literal::scalar<int64_t>(checked_class(whole))});
      return Example(std::move(parts));
    };
    Example result =
        apply_to_element(with_class, element, node_.label(), static_cast<int64_t>(drawn_));
    const auto its_class = static_cast<size_t>(result.value(0).item<int64_t>());
    ++counts_[its_class];
    const double draw = static_cast<double>(random_at(key_, drawn_++) >> 11) * 0x1p-53;
    if (draw < acceptance(its_class)) kept.push_back(std::move(result));
  }
  int64_t checked_class(const Example& element) const {
    const int64_t its_class = class_of_(element);
    if (its_class >= 0 && its_class < static_cast<int64_t>(target_.size())) return its_class;
    raise<OutOfRange>({.what = str("an element of class ", its_class),
                       .wanted = str("0 to ", target_.size() - 1, ", as target_dist has them")});
  }
  double ratio(size_t c) const {
    const double initial = initial_.empty() ? static_cast<double>(counts_[c]) : initial_[c];
    return initial > 0 ? target_[c] / initial : 0;
  }
  double acceptance(size_t its_class) const {
    double largest = 0;
    for (size_t c = 0; c < target_.size(); ++c) largest = std::max(largest, ratio(c));
    return largest > 0 ? ratio(its_class) / largest : 0;
  }

  const Node& node_;
  std::unique_ptr<Stage> input_;
  const ClassOf& class_of_;
  const std::vector<double>& target_;
  const std::vector<double>& initial_;
  std::vector<int64_t> counts_;  // of the classes that came, and one more
  uint64_t key_, drawn_ = 0;     // drawn: how many elements came
};

class ResampleNode : public UnaryNode {
 public:
  ResampleNode(NodePointer input, ClassOf class_of, std::vector<double> target,
               ResampleOptions options, std::string label)
      : UnaryNode(std::move(input), std::move(label)),
        class_of_(std::move(class_of)),
        target_(std::move(target)),
        initial_(std::move(options.initial_dist)),
        seed_(options.seed) {}
  std::unique_ptr<Stage> make(const Context& context) const override {
    return std::make_unique<ResampleStage>(context, *this, input().make(context), class_of_,
                                           target_, initial_, seed_.key(context));
  }
  int64_t cardinality() const override { return unknown_cardinality; }
  ElementSpec spec() const override {
    ElementSpec spec = input().spec();
    spec.insert(spec.begin(), {"class", Shape{}, DType::i64});
    return spec;
  }
  void transfer_shared(StateArchive& archive) const override { seed_.transfer(archive); }

 private:
  ClassOf class_of_;
  std::vector<double> target_, initial_;
  DrawnSeed seed_;
};

bool is_distribution(const std::vector<double>& dist) {
  double sum = 0;
  for (const double p : dist) {
    if (!(p >= 0)) return false;
    sum += p;
  }
  return sum > 0.999 && sum < 1.001;
}

}  // namespace

Dataset Dataset::rejection_resample(ClassOf class_of, std::vector<double> target_dist,
                                    ResampleOptions options, SourceLocation location) const {
  const auto& initial = options.initial_dist;
  if (!class_of)
    raise<InvalidArgument>(
        {.what = "rejection_resample with an empty function", .location = location});
  const bool good =
      is_distribution(target_dist) &&
      (initial.empty() || (initial.size() == target_dist.size() && is_distribution(initial)));
  if (!good) {
    const std::string and_initial =
        initial.empty() ? "" : str(" and the initial_dist ", join(initial));
    raise<InvalidArgument>(
        {.what = str("rejection_resample to ", join(target_dist), and_initial),
         .wanted = "a probability of 0 or more for each class, all of them 1 in sum",
         .location = location});
  }
  return Dataset(std::make_shared<ResampleNode>(node_, std::move(class_of), std::move(target_dist),
                                                std::move(options),
                                                label_at("rejection_resample", location)));
}

}  // namespace data
}  // namespace systolic::inline v0
