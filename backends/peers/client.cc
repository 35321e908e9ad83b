#include "backends/peers/client.h"

#include <atomic>
#include <functional>

#include "backends/peers/buffer.h"
#include "backends/peers/exchange.h"
#include "backends/peers/piece.h"
#include "systolic/base/error.h"
#include "systolic/ir/print/print.h"
#include "systolic/ir/shard.h"
#include "systolic/passes/partition/partition.h"
#include "systolic/passes/stack/stack_cores.h"
#include "systolic/runtime/sends_to_processes.h"
#include "systolic/runtime/takes_pieces.h"

namespace systolic::inline v0 {
namespace peers {
namespace {

using passes::no_cut;
using runtime::BufferPtr;
using runtime::Placement;
using Kind = Placement::Kind;

// How the result of a program is handed out.
struct ResultForm {
  ir::Type type;  // of the whole array; one core's where cores differ
  Placement placement;
  int cut = no_cut;
};

class PeerExecutable final : public runtime::Executable {
 public:
  PeerExecutable(runtime::ExecutablePtr own, std::vector<int> arguments,
                 std::vector<ResultForm> results, int first_core)
      : own_(std::move(own)),
        arguments_(std::move(arguments)),
        results_(std::move(results)),
        first_core_(first_core) {}

  std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arguments,
                                 const runtime::ExecuteOptions& options) override;
  runtime::MemoryStats memory() const override { return own_->memory(); }
  runtime::CostStats cost() const override { return own_->cost(); }
  double compile_ms() const override { return own_->compile_ms(); }

 private:
  BufferPtr own_argument(const BufferPtr& argument, size_t i) const;

  runtime::ExecutablePtr own_;
  std::vector<int> arguments_;  // cuts
  std::vector<ResultForm> results_;
  int first_core_;
};

BufferPtr PeerExecutable::own_argument(const BufferPtr& argument, size_t i) const {
  const auto* buffer = dynamic_cast<const PeerBuffer*>(argument.get());
  if (buffer == nullptr || i >= arguments_.size()) {
    raise<InvalidArgument>({.what = str("argument ", i, " is an array of another client")});
  }
  if (buffer->cut() != arguments_[i]) {
    raise<InvalidArgument>({.what = str("argument ", i, " lies otherwise on the processes"),
                            .got = str("a cut along axis ", buffer->cut()),
                            .wanted = str(arguments_[i])});
  }
  return buffer->own();
}

std::vector<BufferPtr> PeerExecutable::execute(std::vector<BufferPtr>&& arguments,
                                               const runtime::ExecuteOptions& options) {
  std::vector<BufferPtr> own;
  for (size_t i = 0; i < arguments.size(); ++i) {
    own.push_back(own_argument(arguments[i], i));
    // What nobody else holds may be donated: only the own program's reference is left.
    if (arguments[i].use_count() == 1) {
      static_cast<PeerBuffer&>(*arguments[i]).own() = nullptr;
    }
  }
  const auto give_back = [&] {
    for (size_t i = 0; i < arguments.size(); ++i) {
      auto& buffer = static_cast<PeerBuffer&>(*arguments[i]);
      if (buffer.own() == nullptr) buffer.own() = own[i];
    }
  };
  std::vector<BufferPtr> computed;
  try {
    computed = own_->execute(std::move(own), options);
  } catch (...) {
    give_back();
    throw;
  }
  std::vector<BufferPtr> results;
  for (size_t i = 0; i < computed.size(); ++i) {
    const ResultForm& form = results_[i];
    results.push_back(std::make_shared<PeerBuffer>(std::move(computed[i]), form.type,
                                                   form.placement, form.cut, first_core_));
  }
  return results;
}

class PeerClient final : public runtime::Client,
                         public runtime::TakesPieces,
                         public runtime::SendsToProcesses {
 public:
  PeerClient(runtime::ClientPtr own, runtime::PeersPtr peers)
      : own_(std::move(own)),
        peers_(peers),
        queue_(std::make_shared<ExchangeQueue>(std::move(peers))),
        topology_(own_->cores(), peers_->processes()),
        exchange_(register_exchange(queue_)) {
    peers_->agree("the cores of each process",
                  str(own_->platform(), " ", own_->kind().name, ", ", own_->cores(), " cores"));
  }

  std::string platform() const override { return own_->platform(); }
  const TpuKind& kind() const override { return own_->kind(); }
  const runtime::Topology& topology() const override { return topology_; }
  BufferPtr from_host(const Literal& literal, const Placement& placement) override;
  BufferPtr from_host_piece(const Literal& piece, const Placement& placement) override;
  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override;
  runtime::CoreCounters counters(int core) const override { return own_->counters(local(core)); }
  void reset_counters() override {
    own_->reset_counters();
    sent_before_ = peers_->sent_bytes();
  }
  int64_t sent_bytes() const override {
    const int64_t sent = peers_->sent_bytes();
    return sent < 0 ? sent : sent - sent_before_;
  }
  void add_input_wait(double seconds) override { own_->add_input_wait(seconds); }
  int64_t memory_in_use(int core) const override { return own_->memory_in_use(local(core)); }
  void reset() override { own_->reset(); }

 private:
  int processes() const { return topology_.num_processes(); }
  int first_core() const { return topology_.addressable_cores().front(); }
  int local(int core) const;
  int cut_of(const Placement& placement) const;
  runtime::ExecutablePtr compile_whole(const ir::Module& module,
                                       const runtime::CompileOptions& options);
  runtime::ExecutablePtr compile_per_core(const ir::Module& module,
                                          const runtime::CompileOptions& options);
  runtime::ExecutablePtr compile_share(const ir::Module& share,
                                       const runtime::CompileOptions& options,
                                       std::vector<int> arguments, std::vector<ResultForm> results);

  runtime::ClientPtr own_;
  runtime::PeersPtr peers_;
  std::shared_ptr<ExchangeQueue> queue_;
  runtime::Topology topology_;
  std::string exchange_;
  std::atomic<int64_t> programs_{0}, sent_before_{0};
};

int PeerClient::local(int core) const {
  if (!topology_.is_addressable(core)) {
    raise<InvalidArgument>(
        {.what = str("core ", core, " is another process's"),
         .wanted = str(first_core(), " to ", topology_.addressable_cores().back())});
  }
  return topology_.core(core).local;
}

int PeerClient::cut_of(const Placement& placement) const {
  if (placement.kind == Kind::per_core) return 0;
  if (placement.kind != Kind::sharded) return no_cut;
  return passes::cut_of(placement.sharding, processes());
}

BufferPtr PeerClient::from_host(const Literal& literal, const Placement& placement) {
  ir::Type type{literal.dtype(), literal.shape()};
  const int cut = cut_of(placement);
  BufferPtr own;
  if (placement.kind == Kind::per_core) {
    if (type.shape.rank() > 0) type.shape = type.shape.without(0);
    own = own_->from_host(literal);
  } else if (placement.kind == Kind::sharded) {
    ir::check_sharding(placement.sharding, type.shape, cores());
    own = own_->from_host(
        cut == no_cut ? literal : piece_of(literal, cut, topology_.process_index(), processes()));
  } else if (placement.kind == Kind::single) {
    own = own_->from_host(literal, {Kind::single, {}, local(placement.core)});
  } else {
    own = own_->from_host(literal);
  }
  return std::make_shared<PeerBuffer>(std::move(own), std::move(type), placement, cut,
                                      first_core());
}

BufferPtr PeerClient::from_host_piece(const Literal& piece, const Placement& placement) {
  if (piece.rank() == 0 || cut_of(placement) != 0 || placement.kind != Kind::sharded) {
    raise<InvalidArgument>({.what = str("a piece of shape ", piece.shape(), " for one process"),
                            .wanted = "rows of an array whose first axis the processes share"});
  }
  Shape whole = piece.shape();
  whole.set(0, whole[0] * processes());
  ir::check_sharding(placement.sharding, whole, cores());
  return std::make_shared<PeerBuffer>(own_->from_host(piece), ir::Type{piece.dtype(), whole},
                                      placement, 0, first_core());
}

runtime::ExecutablePtr PeerClient::compile(const ir::Module& module,
                                           const runtime::CompileOptions& options) {
  return module.num_replicas > 1 ? compile_per_core(module, options)
                                 : compile_whole(module, options);
}

// All results are whole, except those that take the memory of cut arguments.
runtime::ExecutablePtr PeerClient::compile_whole(const ir::Module& module,
                                                 const runtime::CompileOptions& options) {
  const ir::Function& main = module.main();
  std::vector<int> arguments;
  for (const ir::Parameter& argument : main.arguments) {
    arguments.push_back(argument.sharding ? passes::cut_of(*argument.sharding, processes())
                                          : no_cut);
  }
  const passes::Partitioned share = passes::partition(
      module, processes(), arguments, std::vector<std::optional<int>>(main.results.size(), no_cut));
  std::vector<ResultForm> results;
  for (size_t i = 0; i < main.results.size(); ++i) {
    const std::optional<ir::Sharding>& sharding = main.results[i].sharding;
    const bool is_sharded = sharding && !sharding->replicated();
    results.push_back({main.type(main.body.results[i]),
                       is_sharded ? Placement{Kind::sharded, *sharding, 0} : Placement{},
                       share.result_cuts[i]});
  }
  return compile_share(share.module, options, std::move(arguments), std::move(results));
}

// The program of all cores together has a leading axis of cores, along which it is cut.
runtime::ExecutablePtr PeerClient::compile_per_core(const ir::Module& module,
                                                    const runtime::CompileOptions& options) {
  const ir::Function& main = module.main();
  const passes::StackedModule together = passes::stack_cores(module);
  std::vector<int> arguments;
  for (const ir::Parameter& argument : main.arguments) {
    arguments.push_back(argument.uniform ? no_cut : 0);
  }
  std::vector<std::optional<int>> wanted;
  std::vector<ResultForm> results;
  for (size_t i = 0; i < main.results.size(); ++i) {
    const bool stacked = together.result_is_stacked[i];
    wanted.push_back(stacked ? 0 : no_cut);
    results.push_back({main.type(main.body.results[i]),
                       stacked ? Placement{Kind::per_core, {}, 0} : Placement{}, *wanted.back()});
  }
  const passes::Partitioned share =
      passes::partition(together.module, processes(), arguments, wanted);
  return compile_share(share.module, options, std::move(arguments), std::move(results));
}

runtime::ExecutablePtr PeerClient::compile_share(const ir::Module& share,
                                                 const runtime::CompileOptions& options,
                                                 std::vector<int> arguments,
                                                 std::vector<ResultForm> results) {
  const std::string text = to_text(share);
  peers_->agree(
      str("program ", programs_++, " (", options.name, ")"),
      str(share.name, ", ", text.size(), " characters, ", std::hash<std::string>{}(text)));
  return std::make_shared<PeerExecutable>(own_->compile(with_exchange(share, exchange_), options),
                                          std::move(arguments), std::move(results), first_core());
}

}  // namespace

runtime::ClientPtr client_of_all(runtime::ClientPtr own, runtime::PeersPtr peers) {
  if (peers->processes().count == 1) return own;
  return std::make_shared<PeerClient>(std::move(own), std::move(peers));
}

}  // namespace peers
}  // namespace systolic::inline v0
