#include "systolic/remote/client/link.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "remote.grpc.pb.h"

namespace systolic::inline v0 {
namespace remote {

struct Link::Stream {
  grpc::ClientContext context;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<wire::RemoteDevice::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<wire::Command, wire::Event>> calls;
};

namespace {

std::shared_ptr<grpc::Channel> channel_to(const std::string& address,
                                          const RemoteOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(most_message_bytes);
  arguments.SetMaxSendMessageSize(most_message_bytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // A server that is cut off is found within a minute, also where nothing is sent.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (!options.authority.empty()) {
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = options.authority;
    credentials = grpc::SslCredentials(tls);
  }
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

}  // namespace

Link::Link(const std::string& address, const RemoteOptions& options)
    : address_(address), stream_(std::make_unique<Stream>()) {
  stream_->channel = channel_to(address, options);
  const auto deadline =
      std::chrono::system_clock::now() +
      std::chrono::milliseconds(static_cast<int64_t>(options.connect_seconds * 1e3));
  if (!stream_->channel->WaitForConnected(deadline)) {
    raise<Unavailable>(
        {.what = str("the device at grpc://", address, " does not answer within ",
                     options.connect_seconds, " s"),
         .hint = "look whether `systolic serve` runs there, with TLS as here or without"});
  }
  stream_->stub = wire::RemoteDevice::NewStub(stream_->channel);
  stream_->calls = stream_->stub->Session(&stream_->context);
  reader_ = std::thread([this] { read_events(); });
  try {
    wire::Command command;
    command.mutable_open()->set_token(options.token);
    command.mutable_open()->set_cores(options.cores);
    command.mutable_open()->set_version(SYSTOLIC_VERSION);
    opened_ = call(command).opened();
  } catch (...) {
    stream_->context.TryCancel();
    reader_.join();
    throw;
  }
}

Link::~Link() {
  {
    const std::lock_guard lock(write_mutex_);
    stream_->calls->WritesDone();
  }
  stream_->context.TryCancel();
  reader_.join();
}

void Link::read_events() {
  wire::Event event;
  while (stream_->calls->Read(&event)) take(event);
  const grpc::Status status = stream_->calls->Finish();
  const std::lock_guard lock(mutex_);
  is_lost_ = true;
  why_lost_ = status.ok() ? "the server ended the session" : status.error_message().substr(0, 300);
  answered_.notify_all();
}

void Link::take(wire::Event& event) {
  const std::lock_guard lock(mutex_);
  const auto found = waiting_.find(event.call());
  if (found == waiting_.end()) return;
  Waiting& waiting = found->second;
  if (event.has_piece()) {
    if (event.piece().has_type()) {
      try {
        waiting.type = type_of(event.piece().type());
      } catch (const Error& error) {
        event.clear_piece();
        set_fault(*event.mutable_fault(), error);
      }
    }
    const auto wanted = static_cast<size_t>(waiting.type.bytes());
    if (event.has_piece() && waiting.data.size() + event.piece().data().size() <= wanted) {
      waiting.data += event.piece().data();
      if (!event.piece().last()) return;
    }
  }
  waiting.event = std::move(event);
  waiting.done = true;
  answered_.notify_all();
}

void Link::raise_lost() const {
  raise<Unavailable>({.what = str("the connection to grpc://", address_, " is lost: ", why_lost_),
                      .hint = "start the program again: it goes on from its last checkpoint"});
}

void Link::send(const wire::Command& command) {
  {
    const std::lock_guard lock(mutex_);
    if (is_lost_) raise_lost();
  }
  const std::lock_guard lock(write_mutex_);
  // A stream that takes no more is lost; whoever waits for an answer hears why.
  stream_->calls->Write(command);
}

Link::Waiting Link::answer(wire::Command& command) {
  {
    const std::lock_guard lock(mutex_);
    command.set_call(next_call_++);
    waiting_[command.call()];
  }
  send(command);
  std::unique_lock lock(mutex_);
  Waiting& waiting = waiting_.at(command.call());
  answered_.wait(lock, [&] { return waiting.done || is_lost_; });
  Waiting finished = std::move(waiting);
  waiting_.erase(command.call());
  if (!finished.done) raise_lost();
  if (finished.event.has_fault()) raise_fault(finished.event.fault());
  return finished;
}

wire::Event Link::call(wire::Command& command) { return answer(command).event; }

Literal Link::download(uint64_t buffer, int core) {
  wire::Command command;
  command.mutable_download()->set_buffer(buffer);
  command.mutable_download()->set_core(core);
  const Waiting finished = answer(command);
  if (static_cast<int64_t>(finished.data.size()) != finished.type.bytes()) {
    raise<DataLoss>({.what = str("grpc://", address_,
                                 " sent another number of bytes than the array "
                                 "has")});
  }
  Literal literal(finished.type.dtype, finished.type.shape);
  if (!finished.data.empty()) {
    std::memcpy(literal.mutable_raw(), finished.data.data(), finished.data.size());
  }
  return literal;
}

void Link::upload(uint64_t buffer, const Literal& literal, const runtime::Placement& placement) {
  const auto* data = reinterpret_cast<const char*>(literal.raw());
  size_t sent = 0;
  do {
    wire::Command command;
    wire::Upload& upload = *command.mutable_upload();
    upload.set_buffer(buffer);
    if (sent == 0) {
      set_type(*upload.mutable_type(), {literal.dtype(), literal.shape()});
      set_placement(*upload.mutable_placement(), placement);
    }
    const size_t bytes = std::min(piece_bytes, literal.byte_size() - sent);
    upload.set_data(data + sent, bytes);
    sent += bytes;
    upload.set_last(sent == literal.byte_size());
    send(command);
  } while (sent < literal.byte_size());
}

void Link::free_buffer(uint64_t buffer) noexcept {
  try {
    wire::Command command;
    command.mutable_free()->add_buffers(buffer);
    send(command);
  } catch (const std::exception&) {
    return;  // lost, and with it the array
  }
}

void Link::free_program(uint64_t program) noexcept {
  try {
    wire::Command command;
    command.mutable_free()->add_programs(program);
    send(command);
  } catch (const std::exception&) {
    return;  // lost, and with it the program
  }
}

}  // namespace remote
}  // namespace systolic::inline v0
