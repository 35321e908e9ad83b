#include "systolic/cluster/coordination/server.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <atomic>

#include "coordination.grpc.pb.h"
#include "systolic/base/error.h"
#include "systolic/cluster/coordination/limits.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

using Service = wire::CoordinationService::AsyncService;

// One request. It lives while the queue holds a tag of it or the meeting an answer to it.
class ServedCall : public std::enable_shared_from_this<ServedCall> {
 public:
  enum class Kind : uint8_t { arrived, answered, ended };
  struct Tag {
    std::shared_ptr<ServedCall> call;
    Kind kind;
  };

  // Waits for the next request.
  static void expect(Service& service, grpc::ServerCompletionQueue& queue) {
    auto call = std::make_shared<ServedCall>();
    call->context_.AsyncNotifyWhenDone(call->ended_ = new Tag{call, Kind::ended});
    service.RequestCall(&call->context_, &call->request_, &call->writer_, &queue, &queue,
                        new Tag{call, Kind::arrived});
  }

  const wire::Request& request() const { return request_; }
  bool broken() const { return context_.IsCancelled() && !answered_; }
  // gRPC gives no `ended` for a call that never arrived.
  void forget() { delete ended_; }

  void answer(const wire::Reply& reply) {
    answered_ = true;
    writer_.Finish(reply, grpc::Status::OK, new Tag{shared_from_this(), Kind::answered});
  }

 private:
  grpc::ServerContext context_;
  wire::Request request_;
  grpc::ServerAsyncResponseWriter<wire::Reply> writer_{&context_};
  Tag* ended_ = nullptr;
  bool answered_ = false;
};

}  // namespace

struct Server::State {
  explicit State(MeetingOptions options) : meeting(std::move(options)) {}

  void run() {
    constexpr auto between_ticks = std::chrono::milliseconds(100);
    auto next_tick = Meeting::Time::clock::now();
    ServedCall::expect(service, *queue);
    while (true) {
      void* tag = nullptr;
      bool ok = false;
      const auto status =
          queue->AsyncNext(&tag, &ok, std::chrono::system_clock::now() + between_ticks);
      if (status == grpc::CompletionQueue::SHUTDOWN) return;
      const auto now = Meeting::Time::clock::now();
      if (status == grpc::CompletionQueue::GOT_EVENT) {
        take(now, std::unique_ptr<ServedCall::Tag>(static_cast<ServedCall::Tag*>(tag)), ok);
      }
      if (now >= next_tick) {
        meeting.tick(now);
        next_tick = now + between_ticks;
      }
      over = meeting.is_over() || meeting.failed();
      told = meeting.all_told() && being_answered == 0;
    }
  }

  void take(Meeting::Time now, std::unique_ptr<ServedCall::Tag> tag, bool ok) {
    const std::shared_ptr<ServedCall> call = tag->call;
    if (tag->kind == ServedCall::Kind::ended) {
      if (call->broken()) meeting.disconnected(now, call->request());
      return;
    }
    if (tag->kind == ServedCall::Kind::answered) --being_answered;
    if (tag->kind != ServedCall::Kind::arrived) return;
    if (!ok) return call->forget();  // the server is shutting down
    ServedCall::expect(service, *queue);
    meeting.handle(now, call->request(), [this, call](const wire::Reply& reply) {
      ++being_answered;
      call->answer(reply);
    });
  }

  Meeting meeting;  // of the thread
  Service service;
  std::unique_ptr<grpc::ServerCompletionQueue> queue;
  std::unique_ptr<grpc::Server> server;
  int64_t being_answered = 0;  // of the thread
  std::atomic<bool> over{false}, told{false};
};

Server::Server(const std::string& address, MeetingOptions options)
    : state_(std::make_unique<State>(std::move(options))) {
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota("coordination");
  quota.Resize(most_service_bytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(most_message_bytes);
  builder.SetMaxSendMessageSize(most_message_bytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(&state_->service);
  state_->queue = builder.AddCompletionQueue();
  state_->server = builder.BuildAndStart();
  if (state_->server == nullptr || port_ == 0) {
    if (state_->server != nullptr) state_->server->Shutdown();
    state_->queue->Shutdown();
    raise<Unavailable>({.what = str("the coordination service cannot listen on ", address),
                        .hint = "choose a free port: SYSTOLIC_COORDINATOR_ADDRESS=HOST:PORT for "
                                "all processes"});
  }
  thread_ = std::thread([state = state_.get()] { state->run(); });
}

Server::~Server() {
  state_->server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  state_->queue->Shutdown();
  thread_.join();
}

namespace {

bool wait_for(const std::atomic<bool>& is_so, double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!is_so) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

bool Server::wait_until_over(double seconds) const { return wait_for(state_->over, seconds); }
bool Server::wait_until_told(double seconds) const { return wait_for(state_->told, seconds); }

}  // namespace cluster
}  // namespace systolic::inline v0
