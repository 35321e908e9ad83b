#include "systolic/distribute/strategy.h"

#include <atomic>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/node.h"
#include "systolic/data/transformations/sharing.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/plan/request.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

thread_local std::unique_ptr<Strategy> current_strategy;
// On all threads: how many scopes of strategies over several cores are open.
std::atomic<int> wide_scopes{0};

// Whether it runs on devices, and not on the processor.
bool is_real(const runtime::Client& client) {
  const std::string platform = client.platform();
  return platform != "software_tpu" && platform != "interpreter";
}

// Looks only at open clients: a TPU opened just to look at it would be lost to others who need one.
bool is_initialized(const TPUClusterResolver& resolver) {
  const runtime::ClientPtr client = default_client_if_open();
  if (!client) return false;
  if (plan::requested()) return true;  // all of the cores that are planned for
  const int wanted = resolver.cores() == 0 ? client->kind().cores() : resolver.cores();
  if (client->cores() != wanted) return false;
  if (is_real(*client) || resolver.must_be_tpu()) {
    return is_real(*client) && resolver.may_be_tpu();
  }
  return client->kind().name == resolver.kind();
}

runtime::Topology topology_after_initialization(const TPUClusterResolver& resolver) {
  if (!is_initialized(resolver)) initialize_tpu_system(resolver);
  return default_client()->topology();
}

}  // namespace

int64_t InputContext::get_per_replica_batch_size(int64_t global_batch_size) const {
  if (num_replicas_in_sync > 0 && global_batch_size % num_replicas_in_sync == 0) {
    return global_batch_size / num_replicas_in_sync;
  }
  raise<InvalidArgument>({.what = str("a global batch of ", global_batch_size, " for ",
                                      num_replicas_in_sync, " cores"),
                          .wanted = "a multiple of the number of cores"});
}

Strategy::Entered::Entered(const Strategy& strategy)
    : previous_(std::exchange(current_strategy, std::make_unique<Strategy>(strategy))),
      is_wide_(strategy.num_replicas_in_sync() > 1) {
  if (is_wide_) ++wide_scopes;
}
Strategy::Entered::~Entered() {
  if (is_wide_) --wide_scopes;
  current_strategy = std::move(previous_);
}

const Strategy& get_strategy() {
  static const Strategy none;
  return current_strategy ? *current_strategy : none;
}

void warn_of_a_scope_elsewhere(std::string_view what) {
  if (current_strategy || wide_scopes == 0) return;
  log_once(LogLevel::warning,
           str(what,
               " is made on a thread without a strategy, while another thread is in the scope "
               "of one: a scope holds for its own thread alone, so this runs on one core. "
               "Call strategy.scope on this thread, or Strategy().scope if one core is "
               "meant."));
}

void Strategy::spread_open_program() const {
  Trace& trace = Trace::current();
  if (trace.kind() != Trace::Kind::explicit_) {
    raise<Unimplemented>(
        {.what = "strategy.run under a GradientTape that was made outside of it",
         .hint = "make the tape inside the function that is given to strategy.run"});
  }
  trace.module().num_replicas = num_replicas_in_sync();
}

namespace {

// The mean of whole numbers is none.
Tensor as_float(const Tensor& x) { return is_integer(x.dtype()) ? cast(x, DType::f32) : x; }

// No line of this file may appear in an error for the user.
Tensor reduced(ReduceOp op, const Tensor& x, int axis) {
  const SourceLocation unknown;
  return op == ReduceOp::sum ? sum(x, {.axis = axis}, unknown)
                             : mean(as_float(x), {.axis = axis}, unknown);
}

}  // namespace

Tensor Strategy::reduce(ReduceOp op, const PerReplica& value, std::optional<int> axis) const {
  const int64_t replicas = num_replicas_in_sync();
  if (FunctionPrograms::runs_inline()) {
    const ReplicaContextScope context({.replicas = replicas, .per_core = true});
    Tensor total = all_reduce_sum(value.tensor());
    if (axis) total = reduced(op, total, *axis);
    return op == ReduceOp::sum ? total : as_float(total) / static_cast<double>(replicas);
  }
  if (topology_.num_processes() > 1) {
    raise<Unimplemented>({.what = str("strategy.reduce over ", topology_.num_processes(),
                                      " processes, outside of `function`"),
                          .hint = "reduce inside of the function that the strategy runs"});
  }
  Tensor total;
  for (const Tensor& part : value.values()) total = total.valid() ? total + part : part;
  if (axis) total = reduced(op, total, *axis);
  return op == ReduceOp::sum ? total : as_float(total) / static_cast<double>(replicas);
}

InputWorkers Strategy::or_processes(const InputWorkers& workers) const {
  if (workers.count != 0) return workers;
  return {topology_.num_processes(), topology_.process_index(), workers.policy};
}

DistributedDataset Strategy::distribute_dataset(const data::Dataset& dataset,
                                                const InputWorkers& workers) const {
  const InputWorkers all = or_processes(workers);
  if (all.count > 1) {
    const data::Sharing sharing = data::sharing_of(*dataset.node(), all.count, all.policy);
    log_info(str("distribute_dataset: ", all.count, " workers share the data ",
                 data::sharing_text(sharing.policy, "batch"), ", since ", sharing.why, "."));
  }
  return {dataset.auto_shard(all.count, all.index, all.policy), topology_,
          DistributedDataset::BatchIs::global};
}

DistributedDataset Strategy::distribute_datasets_from_function(
    const std::function<data::Dataset(const InputContext&)>& make,
    const InputWorkers& workers) const {
  const InputWorkers all = or_processes(workers);
  const int64_t replicas =
      workers.count == 0 ? num_replicas_in_sync() : topology_.local_cores() * workers.count;
  return {make({.num_input_pipelines = all.count,
                .input_pipeline_id = all.index,
                .num_replicas_in_sync = replicas}),
          topology_, DistributedDataset::BatchIs::per_core};
}

DistributedDataset Strategy::experimental_distribute_datasets_from_function(
    const std::function<data::Dataset(const InputContext&)>& make) const {
  log_once(LogLevel::warning,
           "experimental_distribute_datasets_from_function is deprecated: rename it to "
           "distribute_datasets_from_function.");
  return distribute_datasets_from_function(make);
}

namespace {

// "/job:worker/replica:0/task:0/device:TPU:0 to TPU:7", or "... to task:3/device:TPU:7".
std::string devices_text(const runtime::Topology& topology) {
  const runtime::Topology::Core last =
      topology.core(topology.cores_of(topology.num_processes() - 1).back());
  const std::string task = last.process == 0 ? "" : str("task:", last.process, "/device:");
  return str(topology.device_name(topology.cores_of(0).front()), " to ", task, "TPU:", last.local);
}

}  // namespace

TPUStrategy::TPUStrategy(const TPUClusterResolver& resolver)
    : Strategy("TPUStrategy", topology_after_initialization(resolver)) {
  const runtime::ClientPtr client = default_client();
  log_info(str("Found TPU system: ", client->platform(), " ", client->kind().name));
  log_info(str("*** Num TPU Cores: ", topology().cores()));
  log_info(str("*** Num TPU Workers: ", topology().num_processes()));
  log_info(str("*** Num TPU Cores Per Worker: ", topology().local_cores()));
  log_info(str("*** Available Devices: ", devices_text(topology())));
}

namespace {

// Programs use all cores of their system: other than all devices are a system of their own.
runtime::Topology topology_of_mirrored(int devices, SourceLocation location) {
  const runtime::ClientPtr client = default_client();
  if (devices == 0 || devices == client->cores()) return client->topology();
  const int most = client->kind().cores();
  if (devices < 0 || devices > most) {
    raise<InvalidArgument>({.what = str("MirroredStrategy over ", devices, " devices"),
                            .wanted = str("1 to ", most, ", or 0 for all"),
                            .location = location});
  }
  return topology_after_initialization(TPUClusterResolver(
      is_real(*client) ? "local" : client->kind().name, {.cores = devices}, location));
}

}  // namespace

MirroredStrategy::MirroredStrategy(int devices, SourceLocation location)
    : Strategy("MirroredStrategy", topology_of_mirrored(devices, location)) {}

}  // namespace systolic::inline v0
