#include "systolic/cluster/coordination/client.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "systolic/base/excerpt.h"
#include "systolic/base/log.h"
#include "systolic/cluster/coordination/limits.h"
#include "systolic/cluster/place/source.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Where the service of process 0 listens: on all addresses, unless the processes are of one host.
std::string listening_address(const std::string& coordinator) {
  const std::string host = without_port(coordinator);
  if (host == "localhost" || host == "127.0.0.1" || host == "::1") return coordinator;
  return "[::]" + coordinator.substr(coordinator.rfind(':'));
}

[[noreturn]] void end_process(const Error& error) {
  log(LogLevel::error, error.what());
  std::fflush(nullptr);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

Client::Client(Place place, JoinOptions options)
    : place_(std::move(place)), options_(std::move(options)), caller_(place_.coordinator) {
  if (!options_.on_failure) options_.on_failure = end_process;
  if (place_.processes.index == 0) {
    server_ = std::make_unique<Server>(listening_address(place_.coordinator),
                                       MeetingOptions{.count = place_.processes.count,
                                                      .version = SYSTOLIC_VERSION,
                                                      .token = options_.token,
                                                      .lost_seconds = options_.lost_seconds});
  }
  join();
  watcher_ = std::thread([this] { watch(); });
  wait_until_watched();
}

// Else its end would be noticed by its silence alone.
void Client::wait_until_watched() {
  wire::Request request;
  request.mutable_ready();
  try {
    call(std::move(request), options_.lost_seconds);
  } catch (const Unavailable&) {  // the run has failed: the next call says so
  }
}

Client::~Client() {
  if (std::uncaught_exceptions() > 0) {
    leave_as_failed();
  } else {
    leave(options_.leave_seconds);
  }
  caller_.cancel();
  watcher_.join();
}

// What process 0 does: whoever waits for news would else hear only that it is gone.
void Client::tell_others() const {
  constexpr double most_seconds = 2;
  if (server_) server_->wait_until_told(most_seconds);
}

void Client::announce_failure(const std::string& reason) {
  if (failure()) tell_others();
  wire::Request request;
  request.mutable_leave()->set_failure(reason);
  call(std::move(request), 0);
}

void Client::leave_as_failed() {
  if (leaving_.exchange(true)) return;
  wire::Request request;
  request.set_process(place_.processes.index);
  request.set_session(session_);
  request.mutable_fail()->set_reason("it ended by an exception");
  caller_.call(request, 2);
}

bool Client::leave(double seconds) {
  if (leaving_.exchange(true)) return true;
  wire::Request request;
  request.set_process(place_.processes.index);
  request.set_session(session_);
  request.set_wait_seconds(seconds);
  request.mutable_leave();
  const Called called = caller_.call(request, 2);
  if (!called.answered) return false;  // process 0 is gone, or will be
  const wire::Reply& reply = called.reply;
  if (reply.outcome() == wire::FAILED && !failure()) log_warning(str(who(), ": ", reply.text()));
  if (reply.outcome() == wire::NOT_YET) {
    log_warning(str(who(), " ends now: ", missing_text(reply),
                    reply.missing_size() == 1 ? " is" : " are", " not done after ", seconds, " s"));
  }
  return reply.outcome() == wire::OK;
}

std::string Client::who() const {
  return str("host ", place_.processes.index, " of ", place_.processes.count);
}

std::string Client::missing_text(const wire::Reply& reply) const {
  constexpr int most_named = 8;
  const int count = reply.missing_size();
  std::string text = count == 1 ? "worker " : "workers ";
  for (int i = 0; i < std::min(count, most_named); ++i) {
    if (i > 0) text += i == count - 1 ? " and " : ", ";
    text += place_.worker_name(reply.missing(i)).substr(std::string_view("worker ").size());
  }
  if (count > most_named) text += str(" and ", count - most_named, " more");
  return text;
}

wire::Request Client::join_request() const {
  wire::Request request;
  request.set_process(place_.processes.index);
  wire::Join& join = *request.mutable_join();
  const auto own = static_cast<size_t>(place_.processes.index);
  join.set_host(own < place_.hosts.size() ? place_.hosts[own] : host_name());
  join.set_count(place_.processes.count);
  join.set_version(SYSTOLIC_VERSION);
  join.set_token(options_.token);
  return request;
}

void Client::join() {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(options_.join_seconds);
  wire::Request request = join_request();
  const std::string after = str(" after ", options_.join_seconds, " s");
  while (true) {
    const auto seconds_left = [&] {
      return std::chrono::duration<double>(until - Clock::now()).count();
    };
    caller_.wait_for_connection(std::max(seconds_left(), 0.0));
    const double left = seconds_left();
    request.set_wait_seconds(std::max(left, 0.0));
    const Called called = caller_.call(request, 2);
    if (!called.answered) {
      if (left <= 0) {
        raise<DeadlineExceeded>(
            {.what = str(who(), ": ", place_.worker_name(0), " does not answer at ",
                         place_.coordinator, after, ": ", called.fault),
             .hint = "look whether process 0 runs, and whether a firewall closes its port"});
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      continue;
    }
    if (called.reply.outcome() == wire::NOT_YET) {
      raise<DeadlineExceeded>(
          {.what = str(who(), ": ", missing_text(called.reply),
                       called.reply.missing_size() == 1 ? " has" : " have", " not joined", after),
           .hint = "look at what they printed"});
    }
    if (called.reply.outcome() == wire::REFUSED) {
      raise<InvalidArgument>({.what = str(who(), ": ", called.reply.text())});
    }
    if (called.reply.outcome() == wire::FAILED) {
      failure_ = called.reply.text();
      raise_failure();
    }
    session_ = called.reply.session();
    return;
  }
}

void Client::raise_failure() const { raise<Unavailable>({.what = str(who(), ": ", *failure())}); }

std::optional<std::string> Client::failure() const {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) return std::nullopt;
  return failure_;
}

wire::Reply Client::call(wire::Request request, double seconds) {
  if (failure()) raise_failure();
  request.set_process(place_.processes.index);
  request.set_session(session_);
  request.set_wait_seconds(seconds);
  const Called called = caller_.call(request, options_.lost_seconds);
  if (failure()) raise_failure();
  if (!called.answered) {
    raise<Unavailable>({.what = str(who(), ": ", place_.worker_name(0),
                                    ", which coordinates the run, does not "
                                    "answer: ",
                                    called.fault)});
  }
  if (called.reply.outcome() == wire::FAILED) {
    lose(called.reply.text());
    raise_failure();
  }
  return called.reply;
}

void Client::put(const std::string& key, const std::string& value) {
  if (value.size() + key.size() > most_value_bytes) {
    raise<ResourceExhausted>(
        {.what = str("the value of key '", excerpt(key, 100), "' has ", value.size(), " bytes"),
         .wanted = str("at most ", most_value_bytes, " with the key")});
  }
  wire::Request request;
  request.mutable_put()->set_key(key);
  request.mutable_put()->set_value(value);
  const wire::Reply reply = call(std::move(request), 0);
  if (reply.outcome() == wire::REFUSED) raise<InvalidArgument>({.what = reply.text()});
}

std::string Client::get(const std::string& key, double seconds) {
  wire::Request request;
  request.mutable_get()->set_key(key);
  const wire::Reply reply = call(std::move(request), seconds);
  if (reply.outcome() == wire::REFUSED) raise<InvalidArgument>({.what = reply.text()});
  if (reply.outcome() == wire::NOT_YET) {
    raise<DeadlineExceeded>({.what = str(who(), ": no process has put the key '", excerpt(key, 100),
                                         "' within ", seconds, " s")});
  }
  return reply.value();
}

std::optional<std::string> Client::try_get(const std::string& key) {
  wire::Request request;
  request.mutable_get()->set_key(key);
  const wire::Reply reply = call(std::move(request), 0);
  if (reply.outcome() == wire::REFUSED) raise<InvalidArgument>({.what = reply.text()});
  if (reply.outcome() == wire::NOT_YET) return std::nullopt;
  return reply.value();
}

void Client::barrier(const std::string& name, double seconds) { agree(name, "", seconds); }

void Client::agree(const std::string& name, const std::string& value, double seconds) {
  meet(name, value, false, seconds);
}

std::vector<std::string> Client::gather(const std::string& name, const std::string& value,
                                        double seconds) {
  const wire::Reply reply = meet(name, value, true, seconds);
  return {reply.values().begin(), reply.values().end()};
}

wire::Reply Client::meet(const std::string& name, const std::string& value, bool gathers,
                         double seconds) {
  wire::Request request;
  request.mutable_barrier()->set_name(name);
  request.mutable_barrier()->set_value(value);
  request.mutable_barrier()->set_gathers(gathers);
  wire::Reply reply = call(std::move(request), seconds);
  switch (reply.outcome()) {
    case wire::OK:
      return reply;
    case wire::NOT_YET:
      raise<DeadlineExceeded>({.what = str(who(), ": ", missing_text(reply),
                                           reply.missing_size() == 1 ? " has" : " have",
                                           " not come to '", name, "' within ", seconds, " s")});
    case wire::DIFFERENT:
      raise<FailedPrecondition>(
          {.what = str(place_.worker_name(reply.missing(0)), " differs from ",
                       place_.worker_name(0), " in ", name),
           .got = excerpt(reply.text(), 500),
           .wanted = excerpt(reply.value(), 500),
           .hint = "start the same program with the same options everywhere"});
    default:
      raise<FailedPrecondition>({.what = str(who(), ": '", name, "': ", reply.text())});
  }
}

void Client::give_notice(const std::string& reason) {
  wire::Request request;
  request.mutable_notice()->set_reason(reason);
  call(std::move(request), 0);
}

bool Client::stops_at(int64_t step) {
  const std::lock_guard lock(step_mutex_);
  step_ = step;
  return stop_step_ >= 0 && step >= stop_step_;
}

// The watcher need not hear of it.
void Client::fail(const std::string& reason) {
  leaving_ = true;
  wire::Request request;
  request.mutable_fail()->set_reason(reason);
  call(std::move(request), 0);
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = reason;
}

void Client::watch() {
  wire::Request request;
  request.set_process(place_.processes.index);
  request.set_session(session_);
  request.set_wait_seconds(options_.lost_seconds / 4);
  while (!leaving_) {
    request.mutable_watch()->set_knows_notice(noticed_);
    const Called called = caller_.call(request, options_.lost_seconds);
    if (leaving_) return;
    if (!called.answered) {
      return lose(
          str(place_.worker_name(0), ", which coordinates the run, was lost: ", called.fault));
    }
    if (!hear(called.reply)) return;
  }
}

bool Client::hear(const wire::Reply& reply) {
  switch (reply.outcome()) {
    case wire::FAILED:
    case wire::REFUSED:
      lose(reply.text());
      return false;
    case wire::NEWS:
      noticed_ = true;
      log_warning(reply.text() + "; all stop together");
      settle_stop_step();
      return true;
    default:
      return true;
  }
}

// Steps begin under the same mutex: where this process is does not change until all have said it.
void Client::settle_stop_step() {
  const std::lock_guard lock(step_mutex_);
  wire::Request request;
  request.set_process(place_.processes.index);
  request.set_session(session_);
  request.set_wait_seconds(options_.lost_seconds);
  request.mutable_step()->set_step(step_);
  const Called called = caller_.call(request, options_.lost_seconds);
  if (called.answered && called.reply.outcome() == wire::OK) stop_step_ = called.reply.step();
}

void Client::lose(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) return;
    failure_ = reason;
  }
  tell_others();
  options_.on_failure(Unavailable({.what = str(who(), ": ", reason)}));
}

}  // namespace cluster
}  // namespace systolic::inline v0
