#include "systolic/remote/server/session.h"

#include <algorithm>
#include <cstring>

#include "systolic/ir/image/image.h"

namespace systolic::inline v0 {
namespace remote {

namespace {

constexpr size_t most_image_bytes = size_t{1} << 31;

// Takes as long whatever the guess has in common with the token.
bool is_token(const std::string& guess, const std::string& token) {
  unsigned difference = guess.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < guess.size(); ++i) {
    const char other = token.empty() ? '\1' : token[i % token.size()];
    difference |= static_cast<unsigned char>(guess[i] ^ other);
  }
  return difference == 0;
}

}  // namespace

runtime::ExecutablePtr ProgramCache::find_or_compile(runtime::Client& client,
                                                     const std::string& image,
                                                     const runtime::CompileOptions& options) {
  const std::string key = str(static_cast<int>(options.split_products), " ", image);
  {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(key);
    if (found != programs_.end()) return found->second;
  }
  runtime::ExecutablePtr program = client.compile(ir::module_of(image), options);
  const std::lock_guard lock(mutex_);
  if (programs_.size() >= most_programs) programs_.clear();
  programs_[key] = program;
  return program;
}

Session::Session(runtime::ClientPtr client, ProgramCache& programs, SessionOptions options,
                 Write write)
    : client_(std::move(client)),
      programs_(programs),
      options_(std::move(options)),
      write_(std::move(write)) {}

bool Session::handle(const wire::Command& command) {
  try {
    if (open_ && command.has_download()) {
      download(command);
      return true;
    }
    wire::Event event = answer_to(command);
    event.set_call(command.call());
    if (command.call() != 0) write_(event);
  } catch (const Error& error) {
    fail_results(command, error);
    wire::Event event;
    event.set_call(command.call());
    set_fault(*event.mutable_fault(), error);
    if (command.call() != 0) write_(event);
    return open_;
  }
  return true;
}

wire::Event Session::answer_to(const wire::Command& command) {
  wire::Event event;
  if (!open_ && !command.has_open()) {
    raise<PermissionDenied>({.what = "the session is not open"});
  }
  switch (command.what_case()) {
    case wire::Command::kOpen:
      open(command.open(), event);
      break;
    case wire::Command::kUpload:
      upload(command.upload());
      break;
    case wire::Command::kFree:
      free(command.free());
      break;
    case wire::Command::kCompile:
      compile(command.compile(), event);
      break;
    case wire::Command::kExecute:
      execute(command.execute(), event);
      break;
    case wire::Command::kCounters: {
      const runtime::CoreCounters counters = client_->counters(command.counters().core());
      for (double value :
           {counters.flops, counters.bytes, counters.busy_seconds, counters.input_wait_seconds,
            counters.idle_seconds, counters.matrix_flops, counters.padded_matrix_flops,
            counters.collective_bytes, static_cast<double>(counters.peak_memory_bytes)}) {
        event.mutable_numbers()->add_values(value);
      }
      break;
    }
    case wire::Command::kResetCounters:
      client_->reset_counters();
      break;
    case wire::Command::kInputWait:
      client_->add_input_wait(command.input_wait().seconds());
      break;
    case wire::Command::kMemoryInUse:
      event.mutable_numbers()->add_values(
          static_cast<double>(client_->memory_in_use(command.memory_in_use().core())));
      break;
    case wire::Command::kReset:  // this client's arrays: others have theirs
      buffers_.clear();
      bytes_ = 0;
      break;
    case wire::Command::kDownload:
    case wire::Command::WHAT_NOT_SET:
      raise<InvalidArgument>({.what = "an unknown command"});
  }
  return event;
}

void Session::open(const wire::Open& open, wire::Event& event) {
  if (!is_token(open.token(), options_.token)) {
    raise<PermissionDenied>({.what = "the token is not this server's",
                             .hint = "SYSTOLIC_TOKEN_FILE names the file that holds it"});
  }
  if (open.version() != options_.version) {
    raise<FailedPrecondition>({.what = "client and server are of two versions",
                               .got = open.version().substr(0, 50),
                               .wanted = options_.version});
  }
  if (open.cores() != 0 && open.cores() != client_->cores()) {
    raise<InvalidArgument>(
        {.what = str(open.cores(), " cores of a device that has ", client_->cores()),
         .hint = "start `systolic serve` with --cores"});
  }
  open_ = true;
  event.mutable_opened()->set_platform(client_->platform());
  event.mutable_opened()->set_kind(client_->kind().name);
  event.mutable_opened()->set_cores(client_->cores());
}

void Session::upload(const wire::Upload& upload) {
  const auto refused = buffers_.find(upload.buffer());
  if (refused != buffers_.end() && refused->second.buffer == nullptr) return;
  auto found = arriving_.find(upload.buffer());
  if (found == arriving_.end()) {
    const ir::Type type = type_of(upload.type());
    if (type.bytes() > options_.most_bytes - bytes_) {
      raise<ResourceExhausted>(
          {.what = str("this client's arrays would take ", bytes_text(bytes_ + type.bytes())),
           .wanted = str("at most ", bytes_text(options_.most_bytes))});
    }
    found = arriving_.emplace(upload.buffer(), Arriving{type, placement_of(upload.placement()), ""})
                .first;
  }
  Arriving& arriving = found->second;
  const auto wanted = static_cast<uint64_t>(arriving.type.bytes());
  if (arriving.data.size() + upload.data().size() > wanted) {
    raise<InvalidArgument>({.what = "more bytes came than the array has"});
  }
  if (arriving.data.empty() && upload.last()) {
    arriving.data = upload.data();
  } else {
    arriving.data += upload.data();
  }
  if (!upload.last()) return;
  if (arriving.data.size() != wanted) {
    raise<InvalidArgument>({.what = "fewer bytes came than the array has"});
  }
  Literal literal(arriving.type.dtype, arriving.type.shape);
  if (wanted > 0) std::memcpy(literal.mutable_raw(), arriving.data.data(), wanted);
  const runtime::Placement placement = arriving.placement;
  arriving_.erase(found);
  hold(upload.buffer(), client_->from_host(literal, placement));
}

void Session::hold(uint64_t number, runtime::BufferPtr buffer) {
  const int64_t bytes = buffer->type().bytes();
  if (!buffers_.emplace(number, Held{std::move(buffer), nullptr, bytes}).second) {
    raise<InvalidArgument>({.what = str("there is an array ", number, " already")});
  }
  bytes_ += bytes;
}

void Session::drop(uint64_t number) {
  const auto found = buffers_.find(number);
  if (found == buffers_.end()) return;
  bytes_ -= found->second.bytes;
  buffers_.erase(found);
}

const runtime::BufferPtr& Session::held(uint64_t number) const {
  const auto found = buffers_.find(number);
  if (found == buffers_.end()) raise<NotFound>({.what = str("there is no array ", number)});
  if (found->second.buffer == nullptr) raise_fault(*found->second.why);
  return found->second.buffer;
}

void Session::free(const wire::Free& free) {
  for (const uint64_t number : free.buffers()) drop(number);
  for (const uint64_t number : free.programs()) executables_.erase(number);
}

void Session::compile(const wire::Compile& compile, wire::Event& event) {
  std::string& image = images_[compile.program()];
  if (image.size() + compile.image().size() > most_image_bytes) {
    raise<ResourceExhausted>({.what = "a program of more than 2 GiB"});
  }
  image += compile.image();
  if (!compile.last()) return;
  const std::string whole = std::move(image);
  images_.erase(compile.program());
  constexpr int last = static_cast<int>(runtime::SplitProducts::all);
  const auto products =
      static_cast<runtime::SplitProducts>(std::clamp(compile.split_products(), 0, last));
  const runtime::ExecutablePtr program = programs_.find_or_compile(
      *client_, whole, {.name = compile.name(), .split_products = products});
  executables_[compile.program()] = program;
  wire::Compiled& compiled = *event.mutable_compiled();
  const runtime::MemoryStats memory = program->memory();
  for (int64_t bytes : {memory.arguments, memory.parameters, memory.optimizer_state, memory.results,
                        memory.aliased, memory.temporaries, memory.activations}) {
    compiled.add_memory(bytes);
  }
  compiled.set_flops(program->cost().flops);
  compiled.set_bytes(program->cost().bytes);
  compiled.set_compile_ms(program->compile_ms());
}

// Arguments whose last use this is are the program's alone.
std::vector<runtime::BufferPtr> Session::take_arguments(const wire::Execute& execute) {
  std::vector<runtime::BufferPtr> arguments;
  for (const uint64_t number : execute.arguments()) arguments.push_back(held(number));
  for (int i = 0; i < execute.last_use_size() && i < execute.arguments_size(); ++i) {
    if (execute.last_use(i)) drop(execute.arguments(i));
  }
  return arguments;
}

void Session::execute(const wire::Execute& execute, wire::Event& event) {
  const auto found = executables_.find(execute.program());
  if (found == executables_.end()) {
    raise<NotFound>({.what = str("there is no program ", execute.program())});
  }
  const std::vector<runtime::BufferPtr> results = found->second->execute(
      take_arguments(execute),
      {.step = execute.step(), .loops_over_steps = execute.loops_over_steps()});
  if (static_cast<int>(results.size()) != execute.results_size()) {
    raise<InvalidArgument>({.what = str("numbers for ", execute.results_size(), " results"),
                            .wanted = str(results.size())});
  }
  for (size_t i = 0; i < results.size(); ++i) {
    hold(execute.results(static_cast<int>(i)), results[i]);
    wire::Result& result = *event.mutable_executed()->add_results();
    set_type(*result.mutable_type(), results[i]->type());
    set_placement(*result.mutable_placement(), results[i]->placement());
  }
}

void Session::fail_results(const wire::Command& command, const Error& error) {
  const auto why = std::make_shared<wire::Fault>();
  set_fault(*why, error);
  if (command.has_execute()) {
    for (const uint64_t number : command.execute().results()) buffers_[number] = {nullptr, why, 0};
  }
  if (command.has_upload()) {
    arriving_.erase(command.upload().buffer());
    buffers_[command.upload().buffer()] = {nullptr, why, 0};
  }
}

void Session::download(const wire::Command& command) {
  const wire::Download& download = command.download();
  const runtime::BufferPtr& buffer = held(download.buffer());
  send_array(command.call(),
             download.core() < 0 ? buffer->to_literal() : buffer->core_literal(download.core()));
}

void Session::send_array(uint64_t call, const Literal& literal) {
  const auto* data = reinterpret_cast<const char*>(literal.raw());
  size_t sent = 0;
  do {
    wire::Event event;
    event.set_call(call);
    wire::Piece& piece = *event.mutable_piece();
    if (sent == 0) set_type(*piece.mutable_type(), {literal.dtype(), literal.shape()});
    const size_t bytes = std::min(piece_bytes, literal.byte_size() - sent);
    piece.set_data(data + sent, bytes);
    sent += bytes;
    piece.set_last(sent == literal.byte_size());
    write_(event);
  } while (sent < literal.byte_size());
}

}  // namespace remote
}  // namespace systolic::inline v0
