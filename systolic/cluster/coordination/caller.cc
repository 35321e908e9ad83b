#include "systolic/cluster/coordination/caller.h"

#include <grpcpp/grpcpp.h>

#include <chrono>

#include "coordination.grpc.pb.h"
#include "systolic/cluster/coordination/limits.h"

namespace systolic::inline v0 {
namespace cluster {

struct Caller::Channel {
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<wire::CoordinationService::Stub> stub;
};

namespace {

std::chrono::system_clock::time_point after(double seconds) {
  const std::chrono::duration<double> wait(seconds);
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::milliseconds>(wait);
}

}  // namespace

Caller::Caller(const std::string& address) : channel_(std::make_unique<Channel>()) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(most_message_bytes);
  arguments.SetMaxSendMessageSize(most_message_bytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // The service may start after this process, and is then wanted soon.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel_->channel =
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  channel_->stub = wire::CoordinationService::NewStub(channel_->channel);
}

Caller::~Caller() = default;

bool Caller::wait_for_connection(double seconds) {
  return channel_->channel->WaitForConnected(after(seconds));
}

Called Caller::call(const wire::Request& request, double grace_seconds) {
  grpc::ClientContext context;
  context.set_deadline(after(request.wait_seconds() + grace_seconds));
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return {.reply = {}, .fault = "cancelled"};
    calls_.insert(&context);
  }
  Called called;
  const grpc::Status status = channel_->stub->Call(&context, request, &called.reply);
  const std::lock_guard lock(mutex_);
  calls_.erase(&context);
  called.answered = status.ok();
  called.fault = status.error_message().substr(0, 300);
  if (status.error_code() == grpc::DEADLINE_EXCEEDED) called.fault = "no answer";
  return called;
}

void Caller::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  for (grpc::ClientContext* context : calls_) context->TryCancel();
}

}  // namespace cluster
}  // namespace systolic::inline v0
