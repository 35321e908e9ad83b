// How a program is spread over cores (tf.distribute.Strategy).
//
//   TPUStrategy strategy(resolver);
//   Model model = strategy.scope([] { return create_model(); });
//   PerReplica losses = strategy.run(train_step, next(iterator));
//   Tensor loss = strategy.reduce(ReduceOp::sum, losses);
//
// In `scope`, models are made (compile() needs none); their fit() traces one program over the
// global batch, whose batch axis is split over the cores. `run` is the per-core form: the function
// sees one core's share of the batch, and what it computes differs from core to core; optimizers
// add the gradients of all cores, metrics those of all samples. The same code runs under
// MirroredStrategy, on one core, and without a strategy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/distribute/cluster_resolver.h"
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/made_in_scope.h"
#include "systolic/distribute/per_replica.h"
#include "systolic/runtime/topology.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/replica_context.h"

namespace systolic::inline v0 {

enum class ReduceOp : uint8_t { sum, mean };

// What a dataset function is given (tf.distribute.InputContext).
struct InputContext {
  int64_t num_input_pipelines = 1;
  int64_t input_pipeline_id = 0;
  int64_t num_replicas_in_sync = 1;
  int64_t get_per_replica_batch_size(int64_t global_batch_size) const;
};

// The programs, one a machine, that read one dataset together: by default the processes of the
// system. Programs that each have a system of their own say how many they are.
struct InputWorkers {
  int64_t count = 0;  // 0: the processes of the system, and this one's index
  int64_t index = 0;  // of this one
  data::AutoShardPolicy policy = data::AutoShardPolicy::automatic;
};

class Strategy {
 public:
  // One core, no strategy: what get_strategy() returns outside any scope.
  Strategy() = default;

  // The cores of all processes.
  int64_t num_replicas_in_sync() const { return topology_.cores(); }
  // The processes that it spreads a program over, and their cores.
  const runtime::Topology& topology() const { return topology_; }
  const std::string& name() const { return name_; }
  friend auto trace_key(const Strategy& strategy) {
    return std::pair(strategy.name_, strategy.num_replicas_in_sync());
  }

  // Runs `body` with this strategy as the current one of this thread and returns what it returns: a
  // Model where that is what Sequential gives. Threads that `body` starts are outside the scope:
  // each calls scope itself.
  template <class Body>
  auto scope(Body&& body) const {
    const Entered entered(*this);
    using Returned = std::decay_t<std::invoke_result_t<Body>>;
    if constexpr (std::is_void_v<Returned>) {
      std::forward<Body>(body)();
    } else {
      return typename MadeInScope<Returned>::type(std::forward<Body>(body)());
    }
  }

  // Runs `step` on every core. PerReplica and distributed batches give each core its share; other
  // arguments are the same on all. Inside `function` the step becomes part of that program; a plain
  // callable is traced at every call, so wrap a step that runs often: strategy.run(function(step),
  // ...). A Tensor comes back as PerReplica.
  template <class Step, class... Args>
  auto run(Step&& step, Args&&... args) const;

  // Over the cores, and over `axis` too when it is given.
  Tensor reduce(ReduceOp op, const PerReplica& value, std::optional<int> axis = {}) const;

  // Splits the batches of a dataset over the cores: their size is that of all cores of this
  // process. One of several workers reads its part, as data::Dataset::auto_shard divides it.
  DistributedDataset distribute_dataset(const data::Dataset& dataset,
                                        const InputWorkers& workers = {}) const;
  DistributedDataset experimental_distribute_dataset(const data::Dataset& dataset,
                                                     const InputWorkers& workers = {}) const {
    return distribute_dataset(dataset, workers);
  }
  // The dataset's batches are for one core: each step takes one for every core. The function is
  // told which of the workers it reads for, and divides the data itself.
  DistributedDataset distribute_datasets_from_function(
      const std::function<data::Dataset(const InputContext&)>& make,
      const InputWorkers& workers = {}) const;
  // Its deprecated name, with TensorFlow's warning.
  DistributedDataset experimental_distribute_datasets_from_function(
      const std::function<data::Dataset(const InputContext&)>& make) const;

 protected:
  Strategy(std::string name, runtime::Topology topology)
      : name_(std::move(name)), topology_(std::move(topology)) {}

 private:
  class Entered {
   public:
    explicit Entered(const Strategy& strategy);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    std::unique_ptr<Strategy> previous_;
    bool is_wide_;
  };

  // Makes the open program, if there is one, a per-core program of all replicas.
  void spread_open_program() const;
  InputWorkers or_processes(const InputWorkers& workers) const;

  std::string name_ = "default";
  runtime::Topology topology_;
};

// All cores of the TPU system, in step.
class TPUStrategy : public Strategy {
 public:
  // Initializes the system if that has not been done; logs what it found, as TensorFlow does.
  explicit TPUStrategy(const TPUClusterResolver& resolver = TPUClusterResolver());
};

// The same for the devices of this machine (GPUs, or the software TPU's cores).
class MirroredStrategy : public Strategy {
 public:
  // 0: all devices. A number other than that of the open ones opens a system of that many, as
  // initialize_tpu_system does: make models and variables afterwards.
  explicit MirroredStrategy(int devices = 0, SourceLocation location = SourceLocation::current());
};

// The strategy of the innermost open scope of this thread; else the default one.
const Strategy& get_strategy();

// Warns, once, where `what` ("a model") is made outside any scope while another thread is in a
// scope over several cores: most likely it was meant to be made there.
void warn_of_a_scope_elsewhere(std::string_view what);

// How a core's result of any shape becomes a result of all cores.
namespace internal {

inline PerReplica as_per_replica(Tensor tensor, const runtime::Topology& topology) {
  return {std::move(tensor), topology};
}
template <class T>
auto as_per_replica(std::vector<T> values, const runtime::Topology& topology) {
  std::vector<decltype(as_per_replica(std::move(values[0]), topology))> result;
  for (T& value : values) result.push_back(as_per_replica(std::move(value), topology));
  return result;
}
template <class A, class B>
auto as_per_replica(std::pair<A, B> values, const runtime::Topology& topology) {
  return std::pair(as_per_replica(std::move(values.first), topology),
                   as_per_replica(std::move(values.second), topology));
}
template <class... T>
auto as_per_replica(std::tuple<T...> values, const runtime::Topology& topology) {
  return std::apply(
      [&](auto&... value) { return std::tuple(as_per_replica(std::move(value), topology)...); },
      values);
}

// What the step sees of an argument: of a PerReplica, this core's Tensor.
inline const Tensor& core_view(const PerReplica& value) { return value.tensor(); }
template <class T>
T& core_view(T& value) {
  return value;
}

}  // namespace internal

template <class Step, class... Args>
auto Strategy::run(Step&& step, Args&&... args) const {
  const ReplicaContextScope context({.replicas = num_replicas_in_sync(), .per_core = true});
  auto call = [&](auto& callable) {
    using Result = decltype(callable(internal::core_view(args)...));
    if constexpr (std::is_void_v<Result>) {
      callable(internal::core_view(args)...);
    } else {
      return internal::as_per_replica(callable(internal::core_view(args)...), topology_);
    }
  };
  if (FunctionPrograms::runs_inline()) {
    spread_open_program();
    return call(step);
  }
  if constexpr (requires { step.traces(); }) {
    return call(step);  // a `function`: keeps its programs
  } else {
    auto once = function([&step](auto&&... values) -> decltype(auto) { return step(values...); },
                         {.name = "strategy.run"});
    return call(once);
  }
}

}  // namespace systolic::inline v0
