// Reading several inputs in turns, shared by interleave, flat_map, the windows and the reading of
// files.
#pragma once

#include <memory>
#include <utility>

#include "systolic/data/node.h"
#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

// An input that is being read, and what it was made of.
struct OpenInput {
  Chunk origin;
  int64_t number = 0;  // how many were opened before
  NodePointer node;
  std::unique_ptr<Stage> stage;  // destroyed before the node
};

// Datasets that are made one after the other while running, each from an origin: the elements given
// to a function, or the number of a file. One call at a time, except for start().
class Inputs {
 public:
  // `maker` is the transformation whose function makes the datasets.
  Inputs(const Context& context, const Node& maker);
  virtual ~Inputs() = default;

  // The next one, with no dataset yet; none when there are no more.
  std::unique_ptr<OpenInput> next();
  // Makes its dataset, and opens that. Several threads may do so, each with an input of its own.
  void start(OpenInput& input);
  // Both.
  std::unique_ptr<OpenInput> open();
  // The place in the origins; and that in an open input, which is made anew to restore it.
  void transfer(StateArchive& archive);
  void transfer(std::unique_ptr<OpenInput>& input, StateArchive& archive);

 protected:
  // Empty at the end.
  virtual Chunk next_origin() = 0;
  // May be called by several threads.
  virtual NodePointer dataset_of(const Chunk& origin) = 0;
  virtual void transfer_origins(StateArchive& archive) = 0;
  // For the stages of the datasets.
  const Context& inner_context() const { return context_; }

 private:
  Context context_;
  int64_t opened_ = 0;
};

// Takes `block_length` elements from each of `cycle_length` open inputs in turns; an input that
// ends makes room for the next one. With num_parallel_calls above 1 that many threads read ahead,
// and open the next inputs before their turn comes.
std::unique_ptr<Stage> make_interleave(const Context& context, const Node& node,
                                       std::unique_ptr<Inputs> inputs, InterleaveOptions options);
// How many inputs are read in turns by default.
int64_t turns_for(int num_parallel_calls);
// One input after the other.
std::unique_ptr<Stage> make_sequence(const Context& context, const Node& node,
                                     std::unique_ptr<Inputs> inputs);

}  // namespace data
}  // namespace systolic::inline v0
