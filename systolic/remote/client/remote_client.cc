#include "systolic/remote/remote_client.h"

#include <algorithm>
#include <atomic>

#include "systolic/ir/image/image.h"
#include "systolic/remote/client/link.h"

namespace systolic::inline v0 {
namespace remote {
namespace {

using runtime::BufferPtr;
using runtime::Placement;

class RemoteBuffer final : public runtime::Buffer {
 public:
  RemoteBuffer(std::shared_ptr<Link> link, uint64_t number, ir::Type type, Placement placement)
      : link_(std::move(link)),
        number_(number),
        type_(std::move(type)),
        placement_(std::move(placement)) {}
  ~RemoteBuffer() override {
    if (!gone_) link_->free_buffer(number_);
  }

  const ir::Type& type() const override { return type_; }
  const Placement& placement() const override { return placement_; }
  Literal to_literal() const override { return read(-1); }
  Literal core_literal(int core) const override { return read(core); }
  bool deleted() const override { return gone_; }

  uint64_t number() const { return number_; }
  bool lives_on(const Link* link) const { return link_.get() == link; }
  // The server has taken it from its table.
  void set_gone() { gone_ = true; }

 private:
  Literal read(int core) const {
    if (gone_) raise<FailedPrecondition>({.what = "an array that was given to a program is read"});
    return link_->download(number_, core);
  }

  std::shared_ptr<Link> link_;
  uint64_t number_;
  ir::Type type_;
  Placement placement_;
  std::atomic<bool> gone_{false};
};

class RemoteExecutable final : public runtime::Executable {
 public:
  RemoteExecutable(std::shared_ptr<Link> link, uint64_t number, size_t results,
                   const wire::Compiled& compiled)
      : link_(std::move(link)), number_(number), results_(results), compiled_(compiled) {}
  ~RemoteExecutable() override { link_->free_program(number_); }

  std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arguments,
                                 const runtime::ExecuteOptions& options) override;
  runtime::MemoryStats memory() const override;
  runtime::CostStats cost() const override {
    return {.flops = compiled_.flops(), .bytes = compiled_.bytes()};
  }
  double compile_ms() const override { return compiled_.compile_ms(); }

 private:
  struct ResultForm {
    ir::Type type;
    Placement placement;
  };
  RemoteBuffer& own(const BufferPtr& argument) const;
  // How results lie on the cores follows from how arguments do.
  static std::string places_of(const std::vector<BufferPtr>& arguments);

  std::shared_ptr<Link> link_;
  uint64_t number_;
  size_t results_;
  wire::Compiled compiled_;
  std::mutex mutex_;
  std::map<std::string, std::vector<ResultForm>> forms_;
};

RemoteBuffer& RemoteExecutable::own(const BufferPtr& argument) const {
  auto* buffer = dynamic_cast<RemoteBuffer*>(argument.get());
  if (buffer == nullptr || !buffer->lives_on(link_.get())) {
    raise<InvalidArgument>({.what = "an argument is an array of another device"});
  }
  if (buffer->deleted()) {
    raise<FailedPrecondition>({.what = "an argument was given to a program before"});
  }
  return *buffer;
}

std::string RemoteExecutable::places_of(const std::vector<BufferPtr>& arguments) {
  std::string places;
  for (const BufferPtr& argument : arguments) {
    const Placement& placement = argument->placement();
    places += str(static_cast<int>(placement.kind), " ", placement.core, " ");
    for (int64_t tiles : placement.sharding.tiles) places += str(tiles, ",");
    places += ";";
  }
  return places;
}

std::vector<BufferPtr> RemoteExecutable::execute(std::vector<BufferPtr>&& arguments,
                                                 const runtime::ExecuteOptions& options) {
  wire::Command command;
  wire::Execute& execute = *command.mutable_execute();
  execute.set_program(number_);
  execute.set_step(options.step);
  execute.set_loops_over_steps(options.loops_over_steps);
  for (const BufferPtr& argument : arguments) execute.add_arguments(own(argument).number());
  for (const BufferPtr& argument : arguments) execute.add_last_use(argument.use_count() == 1);
  for (size_t i = 0; i < results_; ++i) execute.add_results(link_->new_number());
  const std::string places = places_of(arguments);
  const std::lock_guard lock(mutex_);
  auto form = forms_.find(places);
  if (form != forms_.end()) {
    link_->send(command);
  } else {
    const wire::Event event = link_->call(command);
    std::vector<ResultForm> results;
    for (const wire::Result& result : event.executed().results()) {
      results.push_back({type_of(result.type()), placement_of(result.placement())});
    }
    if (results.size() != results_) {
      raise<DataLoss>({.what = "the server says another number of results than the program has"});
    }
    form = forms_.emplace(places, std::move(results)).first;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (execute.last_use(static_cast<int>(i))) own(arguments[i]).set_gone();
  }
  std::vector<BufferPtr> results;
  for (size_t i = 0; i < results_; ++i) {
    results.push_back(std::make_shared<RemoteBuffer>(link_, execute.results(static_cast<int>(i)),
                                                     form->second[i].type,
                                                     form->second[i].placement));
  }
  return results;
}

runtime::MemoryStats RemoteExecutable::memory() const {
  runtime::MemoryStats stats;
  int i = 0;
  for (int64_t* bytes : {&stats.arguments, &stats.parameters, &stats.optimizer_state,
                         &stats.results, &stats.aliased, &stats.temporaries, &stats.activations}) {
    if (i < compiled_.memory_size()) *bytes = compiled_.memory(i);
    ++i;
  }
  return stats;
}

class RemoteClient final : public runtime::Client {
 public:
  RemoteClient(const std::string& address, const RemoteOptions& options)
      : link_(std::make_shared<Link>(address, options)),
        kind_(parse_tpu_kind(link_->opened().kind())),
        topology_(checked_cores(link_->opened().cores(), kind_)) {}

  std::string platform() const override { return link_->opened().platform(); }
  const TpuKind& kind() const override { return kind_; }
  const runtime::Topology& topology() const override { return topology_; }

  BufferPtr from_host(const Literal& literal, const Placement& placement) override {
    if (literal.dtype() == DType::string || literal.dtype() == DType::token) {
      raise<InvalidArgument>(
          {.what = str("an array of ", to_string(literal.dtype()), "s on a device"),
           .wanted = "numbers or bools",
           .hint = "keep strings on the host, or turn them into ids first"});
    }
    const uint64_t number = link_->new_number();
    link_->upload(number, literal, placement);
    ir::Type type{literal.dtype(), literal.shape()};
    if (placement.kind == Placement::Kind::per_core && type.shape.rank() > 0) {
      type.shape = type.shape.without(0);
    }
    return std::make_shared<RemoteBuffer>(link_, number, std::move(type), placement);
  }

  runtime::ExecutablePtr compile(const ir::Module& module,
                                 const runtime::CompileOptions& options) override {
    const std::string image = ir::image_of(module);
    const uint64_t number = link_->new_number();
    size_t sent = 0;
    wire::Event event;
    do {
      wire::Command command;
      wire::Compile& compile = *command.mutable_compile();
      compile.set_program(number);
      compile.set_name(options.name);
      compile.set_split_products(static_cast<int32_t>(options.split_products));
      const size_t bytes = std::min(piece_bytes, image.size() - sent);
      compile.set_image(image.data() + sent, bytes);
      sent += bytes;
      compile.set_last(sent == image.size());
      if (compile.last()) {
        event = link_->call(command);
      } else {
        link_->send(command);
      }
    } while (sent < image.size());
    return std::make_shared<RemoteExecutable>(link_, number, module.main().results.size(),
                                              event.compiled());
  }

  runtime::CoreCounters counters(int core) const override {
    wire::Command command;
    command.mutable_counters()->set_core(core);
    const wire::Event event = link_->call(command);
    const auto& numbers = event.numbers().values();
    if (numbers.size() != 9) raise<DataLoss>({.what = "the server sent other counters than asked"});
    return {.flops = numbers[0],
            .bytes = numbers[1],
            .matrix_flops = numbers[5],
            .padded_matrix_flops = numbers[6],
            .collective_bytes = numbers[7],
            .busy_seconds = numbers[2],
            .input_wait_seconds = numbers[3],
            .idle_seconds = numbers[4],
            .peak_memory_bytes = peak_bytes(numbers[8])};
  }
  void reset_counters() override {
    wire::Command command;
    command.mutable_reset_counters();
    link_->send(command);
  }
  void add_input_wait(double seconds) override {
    wire::Command command;
    command.mutable_input_wait()->set_seconds(seconds);
    link_->send(command);
  }
  int64_t memory_in_use(int core) const override {
    wire::Command command;
    command.mutable_memory_in_use()->set_core(core);
    const wire::Event event = link_->call(command);
    return event.numbers().values_size() == 1 ? static_cast<int64_t>(event.numbers().values(0)) : 0;
  }
  void reset() override {
    wire::Command command;
    command.mutable_reset();
    link_->call(command);
  }

 private:
  // A server may say any number.
  static int64_t peak_bytes(double number) {
    constexpr double most = 1e15;
    return number >= 0 && number <= most ? static_cast<int64_t>(number) : 0;
  }
  static int checked_cores(int cores, const TpuKind& kind) {
    if (cores < 1 || cores > kind.cores()) {
      raise<DataLoss>(
          {.what = str("the server says that its ", kind.name, " has ", cores, " cores")});
    }
    return cores;
  }

  std::shared_ptr<Link> link_;
  TpuKind kind_;
  runtime::Topology topology_;
};

}  // namespace

runtime::ClientPtr open_remote(const std::string& address, const RemoteOptions& options) {
  return std::make_shared<RemoteClient>(address, options);
}

}  // namespace remote
}  // namespace systolic::inline v0
