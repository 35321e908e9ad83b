// A run: the devices' buffers joined into whole arrays, the program once, its results cut
// again.
#include <algorithm>

#include "plugin/box.h"
#include "plugin/buffer.h"
#include "plugin/event.h"
#include "plugin/executable.h"
#include "plugin/serve.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using runtime::BufferPtr;
using runtime::Placement;

// One argument on all devices of the run.
class Argument {
 public:
  // `places`: of the buffers' devices in the program's assignment; the others are of other
  // processes.
  Argument(const Compiled& compiled, size_t i, std::vector<Buffer*> buffers,
           const std::vector<size_t>& places)
      : compiled_(compiled),
        port_(compiled.signature.arguments[i]),
        buffers_(std::move(buffers)),
        places_(places) {
    for (const Buffer* buffer : buffers_) check(i, *buffer);
  }

  // Before bind(): holds the buffers' arrays; FailedPrecondition where one is gone.
  void hold();
  // What other processes are told of it.
  ExchangedArgument offered() const;
  // This process has what it computes with: nothing of it ever travels.
  bool stays() const { return whole_everywhere() || is_cut(); }
  void take_parts(std::vector<Literal> parts) { parts_ = std::move(parts); }
  // What this process's devices hold of it.
  std::vector<Literal> own_parts() const;

  // The array as the program takes it; of a donated argument the only reference, where there is no
  // other.
  BufferPtr bind(bool donated);
  // After a run that failed: the buffers have their arrays again.
  void give_back(const BufferPtr& array);

 private:
  void check(size_t i, const Buffer& buffer) const;
  bool lies_as_wanted() const;
  bool whole_everywhere() const { return !port_.own && port_.parts.whole(port_.type.shape); }
  bool is_cut() const { return port_.cut >= 0; }
  BufferPtr put_together() const;
  Literal whole_of(size_t first) const;
  Literal own_piece() const;
  Literal part_at(size_t place) const;
  BufferPtr take();

  const Compiled& compiled_;
  const Port& port_;
  std::vector<Buffer*> buffers_;
  const std::vector<size_t>& places_;
  std::vector<ArrayPtr> arrays_;  // of the buffers; given back when the run fails
  std::vector<Literal> parts_;    // of all devices, where they came from other processes
  bool donated_ = false;
};

void Argument::check(size_t i, const Buffer& buffer) const {
  // What stands for a token before the first program has made one is an array without elements.
  if (buffer.type == port_.part_type() &&
      (buffer.element == port_.element || port_.element == abi::ElementType::token)) {
    return;
  }
  const auto text = [](const ir::Type& type, abi::ElementType element) {
    return str(ir::to_string(type), " of PJRT's element type ", static_cast<int32_t>(element));
  };
  const bool alike = buffer.type == port_.part_type();
  raise<InvalidArgument>(
      {.what = str(compiled_.name, ": argument ", i),
       .got = alike ? text(buffer.type, buffer.element) : ir::to_string(buffer.type),
       .wanted =
           alike ? text(port_.part_type(), port_.element) : ir::to_string(port_.part_type())});
}

// Whether the buffers are the parts of one array, each on its device.
bool Argument::lies_as_wanted() const {
  const Array& first = *arrays_[0];
  if (first.engine() != compiled_.engine) return false;
  if (whole_everywhere()) {
    // What one core holds is on one core's account, and so would be the results.
    const bool on_one = first.whole()->placement().kind == Placement::Kind::single;
    return first.replicated() && (buffers_.size() == 1 || !on_one);
  }
  const size_t devices_per_copy = port_.own ? compiled_.devices_per_copy() : 0;
  if (first.piece() != compiled_.piece_of(port_)) return false;
  if (first.devices_per_copy() != devices_per_copy || !(first.parts() == port_.parts)) return false;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (arrays_[i] != arrays_[0] || buffers_[i]->part != places_[i]) return false;
  }
  return true;
}

void Argument::hold() {
  for (const Buffer* buffer : buffers_) arrays_.push_back(buffer->array());
}

// An array that every device holds whole is the same in all processes, as the caller says. Where
// one is cut, each process has the piece that it computes with.
ExchangedArgument Argument::offered() const {
  ExchangedArgument result{.part = port_.part_type()};
  if (stays()) {
    result.number = 1;
  } else if (lies_as_wanted()) {
    result.number = arrays_[0]->number();
  }
  return result;
}

std::vector<Literal> Argument::own_parts() const {
  std::vector<Literal> parts;
  for (size_t i = 0; i < buffers_.size(); ++i) parts.push_back(arrays_[i]->part(buffers_[i]->part));
  return parts;
}

Literal Argument::part_at(size_t place) const {
  if (!parts_.empty()) return parts_[place];
  const auto found = std::find(places_.begin(), places_.end(), place);
  // One that all hold whole may lie on others' devices, too: any of ours will do.
  const auto i = static_cast<size_t>(found == places_.end() ? 0 : found - places_.begin());
  return arrays_[i]->part(buffers_[i]->part);
}

// The array whose parts are on the partitions from device `first` on.
Literal Argument::whole_of(size_t first) const {
  const auto part = [&](size_t partition) { return part_at(first + partition); };
  if (port_.parts.whole(port_.type.shape)) return part(0);
  const bool adds = !port_.parts.addend.empty();
  Literal whole = adds ? Literal::zeros(port_.type.dtype, port_.type.shape)
                       : Literal(port_.type.dtype, port_.type.shape);
  std::vector<std::vector<int64_t>> done;
  for (size_t partition = 0; partition < port_.parts.start.size(); ++partition) {
    std::vector<int64_t> place = port_.parts.start[partition];
    if (adds) place.push_back(port_.parts.addend[partition]);
    if (std::find(done.begin(), done.end(), place) != done.end()) continue;
    done.push_back(std::move(place));
    put_part(whole, part(partition), port_.parts, partition);
  }
  return whole;
}

// What this process's devices hold together.
Literal Argument::own_piece() const {
  const Piece own = compiled_.piece_of(port_);
  Shape shape = port_.type.shape;
  shape.set(own.axis, own.size);
  const stablehlo::Parts parts = parts_within(port_.parts, own);
  Literal piece(port_.type.dtype, shape);
  for (const size_t place : places_) put_part(piece, part_at(place), parts, place);
  return piece;
}

BufferPtr Argument::put_together() const {
  if (is_cut()) return compiled_.engine->from_host(own_piece());
  if (!port_.own) return compiled_.engine->from_host(whole_of(0));
  const size_t partitions = port_.parts.start.size();
  const size_t devices = compiled_.layout.size(), step = compiled_.devices_per_copy();
  Literal stacked(port_.type.dtype,
                  port_.type.shape.with_inserted(0, static_cast<int64_t>(devices / step)));
  std::byte* to = stacked.mutable_raw();
  for (size_t replica = 0; replica < devices; replica += partitions) {
    const Literal whole = whole_of(replica);
    for (size_t copy = 0; copy < partitions; copy += step) {
      to = std::copy_n(whole.raw(), whole.byte_size(), to);
    }
  }
  return compiled_.engine->from_host(stacked, {.kind = Placement::Kind::per_core});
}

// The array without the references that hold it, if these were all.
BufferPtr Argument::take() {
  for (Buffer* buffer : buffers_) {
    if (buffer->release() == nullptr) continue;
  }
  donated_ = true;
  BufferPtr whole = arrays_[0]->whole();
  const auto held = std::count(arrays_.begin(), arrays_.end(), arrays_[0]);
  if (arrays_[0].use_count() == held) arrays_.clear();
  return whole;
}

BufferPtr Argument::bind(bool donated) {
  if (!parts_.empty() || !lies_as_wanted()) {
    BufferPtr whole = put_together();
    if (donated) {
      for (Buffer* buffer : buffers_) buffer->release();
      donated_ = true;
    }
    return whole;
  }
  return donated ? take() : arrays_[0]->whole();
}

void Argument::give_back(const BufferPtr& array) {
  if (!donated_) return;
  if (arrays_.empty()) {
    const auto whole = std::make_shared<const Array>(compiled_.engine, array, port_.parts,
                                                     port_.own ? compiled_.devices_per_copy() : 0,
                                                     0, compiled_.piece_of(port_));
    arrays_.assign(buffers_.size(), whole);
  }
  for (size_t i = 0; i < buffers_.size(); ++i) buffers_[i]->restore(arrays_[i]);
}

class Run {
 public:
  // On these devices, whose places in the program's assignment are given; `group` where others are
  // other processes'.
  Run(abi::LoadedExecutableExecuteArgs& args, const Compiled& compiled,
      const std::vector<abi::Device*>& devices, const std::vector<size_t>& places,
      std::shared_ptr<ProcessGroup> group = nullptr, const Span* span = nullptr)
      : args_(args),
        compiled_(compiled),
        devices_(devices),
        places_(places),
        group_(std::move(group)),
        span_(span) {}

  void operator()();

 private:
  void check() const;
  bool keeps(size_t argument) const;
  bool donates(size_t argument) const;
  [[noreturn]] void refuse_gone(size_t argument) const;
  void give(size_t result, const BufferPtr& array, uint64_t number);
  void give_each(size_t result, const BufferPtr& arrays);
  void give_device(size_t device, size_t result, ArrayPtr array);
  void hold(std::vector<Argument>& arguments) const;
  void bind_rest(std::vector<Argument>& arguments, std::vector<BufferPtr>& arrays) const;
  std::vector<uint64_t> exchange(std::vector<Argument>& arguments,
                                 std::vector<BufferPtr>& arrays) const;
  std::vector<BufferPtr> execute(std::vector<BufferPtr>&& arrays) const;

  abi::LoadedExecutableExecuteArgs& args_;
  const Compiled& compiled_;
  const std::vector<abi::Device*>& devices_;
  const std::vector<size_t>& places_;
  const std::shared_ptr<ProcessGroup> group_;
  const Span* const span_;
};

void Run::check() const {
  if (args_.device_count != devices_.size() || devices_.empty() ||
      args_.argument_count != compiled_.signature.arguments.size()) {
    raise<InvalidArgument>(
        {.what = str(compiled_.name, " run with ", args_.argument_count, " arguments on ",
                     args_.device_count, " devices"),
         .wanted = str(compiled_.signature.arguments.size(), " on ", devices_.size())});
  }
}

// Whether the caller keeps an argument that the program would overwrite.
bool Run::keeps(size_t argument) const {
  const abi::ExecuteOptions* options = args_.options;
  if (options == nullptr) return false;
  // An older caller's options end before the list.
  const auto* after_list = reinterpret_cast<const char*>(&options->context);
  const auto known = after_list - reinterpret_cast<const char*>(options);
  if (options->struct_size < static_cast<size_t>(known)) return false;
  const int64_t* begin = options->not_donated;
  const int64_t* end = begin + options->not_donated_count;
  return std::find(begin, end, static_cast<int64_t>(argument)) != end;
}

// An argument whose memory no result can take stays its owner's.
bool Run::donates(size_t argument) const {
  const Port& port = compiled_.signature.arguments[argument];
  return port.donated && port.aliases_result && !keeps(argument);
}

// A buffer that is there no more, perhaps since an argument before it gave it away.
void Run::refuse_gone(size_t argument) const {
  const abi::Buffer* gone = args_.arguments[0][argument];
  for (size_t i = 0; i < argument; ++i) {
    if (args_.arguments[0][i] != gone || !donates(i)) continue;
    raise<FailedPrecondition>(
        {.what = str(compiled_.name, ": arguments ", i, " and ", argument, " are the same buffer"),
         .got = str("argument ", i, " donated, whose memory the results may take"),
         .wanted = "another buffer for each argument that is donated",
         .hint = "copy the array for one of them"});
  }
  raise<FailedPrecondition>(
      {.what = str(compiled_.name, ": the buffer of argument ", argument, ", ",
                   ir::to_string(of(args_.arguments[0][argument]).type), ", is gone"),
       .hint = "it was deleted, or donated to a program"});
}

void Run::give_device(size_t device, size_t result, ArrayPtr array) {
  const Port& port = compiled_.signature.results[result];
  args_.results[device][result] = handle<abi::Buffer>(new Buffer(
      of(devices_[device]), std::move(array), places_[device], port.element, port.minor_to_major));
}

// [device, ...]: what each has computed, said to be the same, which nobody checks.
void Run::give_each(size_t result, const BufferPtr& arrays) {
  const Literal each = arrays->to_literal();
  for (size_t device = 0; device < args_.device_count; ++device) {
    BufferPtr own = compiled_.engine->from_host(each.row(static_cast<int64_t>(device)));
    give_device(device, result,
                std::make_shared<const Array>(compiled_.engine, std::move(own),
                                              compiled_.signature.results[result].parts, 0));
  }
}

// A result becomes a buffer on each device.
void Run::give(size_t result, const BufferPtr& array, uint64_t number) {
  const Port& port = compiled_.signature.results[result];
  if (port.differs) return give_each(result, array);
  BufferPtr whole = array;
  const bool stacked = array->placement().kind == Placement::Kind::per_core;
  size_t devices_per_copy = 0;
  if (stacked && port.own) {
    devices_per_copy = compiled_.devices_per_copy();
  } else if (stacked && Shape(port.parts.size) == port.type.shape) {
    // Said to be the same everywhere, which nobody checks, or an addend: each device has what it
    // computed.
    devices_per_copy = 1;
  } else if (stacked) {
    whole = compiled_.engine->from_host(array->core_literal(0));
  }
  const auto shared = std::make_shared<const Array>(
      compiled_.engine, whole, port.parts, devices_per_copy, number, compiled_.piece_of(port));
  for (size_t device = 0; device < args_.device_count; ++device) {
    give_device(device, result, shared);
  }
}

// What is given away may be an argument before: it is held by now.
void Run::hold(std::vector<Argument>& arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    try {
      arguments[i].hold();
    } catch (const FailedPrecondition&) {
      refuse_gone(i);
    }
  }
}

// The arrays that are not bound yet.
void Run::bind_rest(std::vector<Argument>& arguments, std::vector<BufferPtr>& arrays) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arrays[i] != nullptr) continue;
    try {
      if (group_ == nullptr) arguments[i].hold();
      arrays[i] = arguments[i].bind(donates(i));
    } catch (const FailedPrecondition&) {
      refuse_gone(i);
    }
  }
}

// The other processes' parts of arguments; numbers for the results. One that cannot run the program
// says so to the others, which wait for it; so arguments of which nothing travels are bound before.
std::vector<uint64_t> Run::exchange(std::vector<Argument>& arguments,
                                    std::vector<BufferPtr>& arrays) const {
  Exchange exchange(*group_, *span_, compiled_.meeting_key);
  std::vector<ExchangedArgument> offered(arguments.size());
  try {
    hold(arguments);
    for (size_t i = 0; i < arguments.size(); ++i) offered[i] = arguments[i].offered();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].stays()) arrays[i] = arguments[i].bind(donates(i));
    }
  } catch (...) {
    exchange.agree(offered, true);
    throw;
  }
  exchange.agree(offered, false);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!offered[i].travels) continue;
    offered[i].own = arguments[i].own_parts();
    exchange.gather(offered[i]);
    arguments[i].take_parts(std::move(offered[i].parts));
  }
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < compiled_.signature.results.size(); ++i) {
    numbers.push_back(exchange.number_of_result(i));
  }
  return numbers;
}

// One that exchanges, and fails here, may have left the others in the middle of an exchange.
std::vector<BufferPtr> Run::execute(std::vector<BufferPtr>&& arrays) const {
  try {
    return compiled_.program()->execute(std::move(arrays));
  } catch (...) {
    if (compiled_.shares > 1) group_->broken = true;
    throw;
  }
}

void Run::operator()() {
  check();
  std::vector<Argument> arguments;
  for (size_t i = 0; i < args_.argument_count; ++i) {
    std::vector<Buffer*> buffers;
    for (size_t device = 0; device < args_.device_count; ++device) {
      buffers.push_back(&of(args_.arguments[device][i]));
    }
    arguments.emplace_back(compiled_, i, std::move(buffers), places_);
  }
  std::vector<BufferPtr> arrays(arguments.size()), results;
  std::vector<uint64_t> numbers(compiled_.signature.results.size(), 0);
  try {
    std::unique_lock<std::mutex> lock;
    if (group_ != nullptr) {
      lock = std::unique_lock(group_->mutex);
      numbers = exchange(arguments, arrays);
      if (compiled_.shares == 1) lock.unlock();  // else the program exchanges, too
    }
    bind_rest(arguments, arrays);
    results = execute(std::move(arrays));
  } catch (...) {
    for (size_t i = 0; i < arrays.size(); ++i) arguments[i].give_back(arrays[i]);
    throw;
  }
  for (size_t i = 0; i < results.size(); ++i) give(i, results[i], numbers[i]);
  for (size_t device = 0; args_.complete != nullptr && device < args_.device_count; ++device) {
    args_.complete[device] = happened();
  }
}

}  // namespace

void serve(abi::LoadedExecutableExecuteArgs& args) {
  LoadedExecutable& loaded = of(args.executable);
  const Compiled& compiled = *loaded.compiled;
  if (loaded.deleted) {
    raise<FailedPrecondition>({.what = str("the program ", compiled.name, " was deleted")});
  }
  const bool by_itself = args.device != nullptr && args.device_count == 1;
  const Span& span = loaded.span;
  if (span.several()) {
    if (by_itself && span.own.size() != 1) {
      raise<Unimplemented>({.what = str(compiled.name,
                                        ", a program of several processes, run on "
                                        "one device at a time")});
    }
    return Run{
        args, compiled, loaded.devices, span.own, loaded.client->processes()->among(span.processes),
        &span}();
  }
  if (!by_itself) return Run{args, compiled, loaded.devices, span.own}();
  const std::vector<size_t> first{0};
  if (compiled.layout.size() == 1) return Run{args, compiled, {args.device}, first}();
  const auto place = std::find(loaded.devices.begin(), loaded.devices.end(), args.device);
  if (place == loaded.devices.end()) {
    raise<InvalidArgument>({.what = str(compiled.name, " run on device ", of(args.device).id),
                            .wanted = str("one of (", join(compiled.layout.devices), ")")});
  }
  if (compiled.alone != nullptr) return Run{args, *compiled.alone, {args.device}, first}();
  loaded.meeting->join(static_cast<size_t>(place - loaded.devices.begin()), args,
                       [&](abi::LoadedExecutableExecuteArgs& all) {
                         Run{all, compiled, loaded.devices, span.own}();
                       });
}

}  // namespace plugin
}  // namespace systolic::inline v0
