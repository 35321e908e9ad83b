#include "systolic/cluster/coordination/meeting.h"

#include <algorithm>
#include <random>

#include "systolic/base/text.h"
#include "systolic/cluster/coordination/limits.h"

namespace systolic::inline v0 {
namespace cluster {
namespace {

constexpr size_t most_waiting_per_process = 64;

wire::Reply reply_of(wire::Outcome outcome, const std::string& text = "") {
  wire::Reply reply;
  reply.set_outcome(outcome);
  reply.set_text(text);
  return reply;
}

uint64_t random_session() {
  std::random_device device;
  return (uint64_t{device()} << 32 | device()) | 1;  // never 0, which stands for none
}

Meeting::Time after(Meeting::Time now, double seconds) {
  const double bounded = seconds > 0 ? std::min(seconds, 1e6) : 0;  // 0 of what is no number
  return now + std::chrono::milliseconds(static_cast<int64_t>(bounded * 1e3));
}

std::string shortened(const std::string& text) { return text.substr(0, 300); }

// A barrier's requests have one name; those of other kinds stand apart.
bool same_barrier(const wire::Request& a, const wire::Request& b) {
  return a.has_barrier() && b.has_barrier() && a.barrier().name() == b.barrier().name() &&
         a.barrier().gathers() == b.barrier().gathers();
}

// What becomes of a barrier at which these have come, by process.
wire::Reply barrier_reply(const std::vector<const wire::Request*>& all) {
  wire::Reply reply = reply_of(wire::OK);
  const std::string& wanted = all.front()->barrier().value();
  size_t bytes = 0;
  for (const wire::Request* one : all) {
    const std::string& value = one->barrier().value();
    if (one->barrier().gathers()) {
      bytes += value.size();
      if (bytes > most_value_bytes) return reply_of(wire::REFUSED, "the values are too large");
      reply.add_values(value);
    } else if (value != wanted) {
      reply = reply_of(wire::DIFFERENT, value);
      reply.set_value(wanted);
      reply.add_missing(one->process());
      break;
    }
  }
  return reply;
}

}  // namespace

Meeting::Meeting(MeetingOptions options)
    : options_(std::move(options)), workers_(static_cast<size_t>(options_.count)) {}

std::string Meeting::name(int process) const {
  const std::string& host = workers_[static_cast<size_t>(process)].host;
  return host.empty() ? str("worker ", process) : str("worker ", process, " (", host, ")");
}

bool Meeting::is_over() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.state == State::absent || worker.state == State::left;
  });
}

bool Meeting::all_told() const {
  return failed() && std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
           return worker.state != State::joined || worker.told;
         });
}

void Meeting::tell_failure(int process, const Answer& answer) {
  workers_[static_cast<size_t>(process)].told = true;
  answer(reply_of(wire::FAILED, failure_));
}

std::string Meeting::refusal(const wire::Request& request) const {
  if (request.process() < 0 || request.process() >= options_.count) {
    return str("there is no worker ", request.process(), ", only 0 to ", options_.count - 1);
  }
  const Worker& worker = workers_[static_cast<size_t>(request.process())];
  if (!request.has_join() &&
      (worker.state != State::joined || worker.session != request.session())) {
    return str("worker ", request.process(), " has not joined this run");
  }
  const auto own = std::count_if(waiting_.begin(), waiting_.end(), [&](const Waiting& waiting) {
    return waiting.request.process() == request.process();
  });
  if (static_cast<size_t>(own) >= most_waiting_per_process) {
    return str("worker ", request.process(), " has ", own, " requests open");
  }
  return "";
}

void Meeting::handle(Time now, const wire::Request& request, Answer answer) {
  const std::string refused = refusal(request);
  if (!refused.empty()) return answer(reply_of(wire::REFUSED, refused));
  workers_[static_cast<size_t>(request.process())].heard = now;
  if (failed() && !request.has_leave()) return tell_failure(request.process(), answer);
  switch (request.what_case()) {
    case wire::Request::kJoin:
      return join(now, request, std::move(answer));
    case wire::Request::kPut:
      return put(request.put(), answer);
    case wire::Request::kGet:
      return get(now, request, std::move(answer));
    case wire::Request::kBarrier:
      return barrier(now, request, std::move(answer));
    case wire::Request::kStep:
      return step(now, request, std::move(answer));
    case wire::Request::kWatch:
      return watch(now, request, std::move(answer));
    case wire::Request::kReady:
      return ready(now, request, std::move(answer));
    case wire::Request::kLeave:
      return leave(now, request, std::move(answer));
    case wire::Request::kNotice:
      notice(str(name(request.process()), ": ", shortened(request.notice().reason())));
      return answer(reply_of(wire::OK));
    case wire::Request::kFail:
      answer(reply_of(wire::OK));
      return fail(request.process(),
                  str(name(request.process()), " failed: ", shortened(request.fail().reason())));
    case wire::Request::WHAT_NOT_SET:
      return answer(reply_of(wire::REFUSED, "an empty request"));
  }
}

std::string Meeting::refusal_to_join(const wire::Request& request) const {
  const wire::Join& join = request.join();
  if (join.token() != options_.token) return "the token is not this run's";
  if (join.count() != options_.count) {
    return str("worker ", request.process(), " was told of ", join.count(),
               " processes, worker 0 of ", options_.count);
  }
  if (join.version() != options_.version) {
    return str("worker ", request.process(), " runs version ", shortened(join.version()),
               ", worker 0 ", options_.version);
  }
  const Worker& worker = workers_[static_cast<size_t>(request.process())];
  if (worker.state != State::absent) {
    return str("two processes say that they are worker ", request.process(), ": one at ",
               worker.host, ", one at ", shortened(join.host()));
  }
  return "";
}

void Meeting::join(Time now, const wire::Request& request, Answer answer) {
  const std::string refused = refusal_to_join(request);
  if (!refused.empty()) return answer(reply_of(wire::REFUSED, refused));
  Worker& worker = workers_[static_cast<size_t>(request.process())];
  worker = {.state = State::joining,
            .session = random_session(),
            .host = shortened(request.join().host()),
            .heard = now};
  wait(now, request, std::move(answer));
  const auto is_join = [](const wire::Request& waiting) { return waiting.has_join(); };
  if (!all_wait(is_join)) return;
  for (Waiting& waiting : take(is_join)) {
    Worker& joined = workers_[static_cast<size_t>(waiting.request.process())];
    joined.state = State::joined;
    joined.heard = now;
    wire::Reply reply = reply_of(wire::OK);
    reply.set_session(joined.session);
    waiting.answer(reply);
  }
}

void Meeting::put(const wire::Put& put, const Answer& answer) {
  const uint64_t bytes = put.key().size() + put.value().size();
  if (value_bytes_ + bytes > options_.most_value_bytes) {
    return answer(
        reply_of(wire::REFUSED, str("the values of all keys would take ", value_bytes_ + bytes,
                                    " bytes, more than ", options_.most_value_bytes)));
  }
  if (!values_.emplace(put.key(), put.value()).second) {
    return answer(reply_of(wire::REFUSED, str("the key '", shortened(put.key()), "' is there")));
  }
  value_bytes_ += bytes;
  answer(reply_of(wire::OK));
  wire::Reply reply = reply_of(wire::OK);
  reply.set_value(put.value());
  for (Waiting& waiting : take([&](const wire::Request& request) {
         return request.has_get() && request.get().key() == put.key();
       })) {
    waiting.answer(reply);
  }
}

void Meeting::get(Time now, const wire::Request& request, Answer answer) {
  const auto found = values_.find(request.get().key());
  if (found == values_.end()) return wait(now, request, std::move(answer));
  wire::Reply reply = reply_of(wire::OK);
  reply.set_value(found->second);
  answer(reply);
}

void Meeting::barrier(Time now, const wire::Request& request, Answer answer) {
  const auto same = [&](const wire::Request& other) { return same_barrier(request, other); };
  for (const Waiting& waiting : waiting_) {
    if (same(waiting.request) && waiting.request.process() == request.process()) {
      return answer(reply_of(wire::REFUSED, str("worker ", request.process(), " waits at barrier '",
                                                shortened(request.barrier().name()), "' already")));
    }
  }
  const std::string left = left_text();
  if (!left.empty()) return answer(reply_of(wire::REFUSED, left));
  wait(now, request, std::move(answer));
  if (!all_wait(same)) return;
  std::vector<Waiting> all = take(same);
  std::sort(all.begin(), all.end(), [](const Waiting& a, const Waiting& b) {
    return a.request.process() < b.request.process();
  });
  std::vector<const wire::Request*> requests;
  for (const Waiting& waiting : all) requests.push_back(&waiting.request);
  const wire::Reply reply = barrier_reply(requests);
  for (Waiting& waiting : all) waiting.answer(reply);
}

void Meeting::step(Time now, const wire::Request& request, Answer answer) {
  wait(now, request, std::move(answer));
  agree_on_step();
}

void Meeting::agree_on_step() {
  const auto is_step = [](const wire::Request& waiting) { return waiting.has_step(); };
  if (!all_wait(is_step)) return;
  std::vector<Waiting> all = take(is_step);
  for (const Waiting& waiting : all) {
    stop_step_ = std::max(stop_step_, waiting.request.step().step() + 1);
  }
  wire::Reply reply = reply_of(wire::OK);
  reply.set_step(stop_step_);
  for (Waiting& waiting : all) waiting.answer(reply);
}

void Meeting::ready(Time now, const wire::Request& request, Answer answer) {
  if (workers_[static_cast<size_t>(request.process())].watches) return answer(reply_of(wire::OK));
  wait(now, request, std::move(answer));
}

void Meeting::watch(Time now, const wire::Request& request, Answer answer) {
  workers_[static_cast<size_t>(request.process())].watches = true;
  for (Waiting& waiting : take([&](const wire::Request& other) {
         return other.has_ready() && other.process() == request.process();
       })) {
    waiting.answer(reply_of(wire::OK));
  }
  if (!notice_.empty() && !request.watch().knows_notice()) {
    return answer(reply_of(wire::NEWS, notice_));
  }
  wait(now, request, std::move(answer));
}

// The answer tells that the others need nothing of this process any more.
void Meeting::leave(Time now, const wire::Request& request, Answer answer) {
  Worker& worker = workers_[static_cast<size_t>(request.process())];
  if (!request.leave().failure().empty()) {
    worker.ends_by = shortened(request.leave().failure());
    return answer(reply_of(wire::OK));
  }
  worker.state = State::left;
  if (failed()) return tell_failure(request.process(), answer);
  wait(now, request, std::move(answer));
  const wire::Reply refused = reply_of(wire::REFUSED, left_text());
  for (Waiting& waiting : take([](const wire::Request& other) { return other.has_barrier(); })) {
    waiting.answer(refused);
  }
  agree_on_step();  // which the others may have waited for
  if (!is_over()) return;
  for (Waiting& waiting : take([](const wire::Request& other) { return other.has_leave(); })) {
    waiting.answer(reply_of(wire::OK));
  }
}

std::string Meeting::left_text() const {
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].state == State::left) return name(static_cast<int>(i)) + " has left the run";
  }
  return "";
}

void Meeting::notice(const std::string& reason) {
  if (!notice_.empty()) return;
  notice_ = reason;
  for (Waiting& waiting : take([](const wire::Request& request) { return request.has_watch(); })) {
    waiting.answer(reply_of(wire::NEWS, notice_));
  }
}

void Meeting::wait(Time now, const wire::Request& request, Answer answer) {
  waiting_.push_back({request, after(now, request.wait_seconds()), std::move(answer)});
}

void Meeting::fail(int process, const std::string& reason) {
  if (failed()) return;
  failure_ = reason;
  workers_[static_cast<size_t>(process)].told = true;
  for (Waiting& waiting : take([](const wire::Request&) { return true; })) {
    tell_failure(waiting.request.process(), waiting.answer);
  }
}

void Meeting::disconnected(Time now, const wire::Request& request) {
  take([&](const wire::Request& waiting) {
    return waiting.process() == request.process() && waiting.what_case() == request.what_case() &&
           waiting.session() == request.session();
  });
  if (!refusal(request).empty()) return;
  Worker& worker = workers_[static_cast<size_t>(request.process())];
  if (request.has_join()) {
    if (worker.state == State::joining) worker = {};
  } else if (request.has_watch() && worker.state == State::joined) {
    worker.heard = now;
    fail(request.process(),
         str(name(request.process()), worker.ends_by.empty() ? " was lost: its connection broke"
                                                             : str(" failed: ", worker.ends_by)));
  }
}

void Meeting::tick(Time now) {
  const auto lost_after = std::chrono::duration<double>(options_.lost_seconds);
  for (size_t process = 0; process < workers_.size() && !failed(); ++process) {
    const Worker& worker = workers_[process];
    if (worker.state == State::joined && now - worker.heard > lost_after) {
      fail(static_cast<int>(process),
           str(name(static_cast<int>(process)), " was lost: no sign of life for ",
               options_.lost_seconds, " s"));
    }
  }
  end_waits(now);
}

void Meeting::end_waits(Time now) {
  // All are counted before any goes: those whose waits end together are not missing.
  std::vector<std::pair<Answer, wire::Reply>> over;
  for (const Waiting& waiting : waiting_) {
    if (waiting.until > now) continue;
    wire::Reply reply = reply_of(wire::NOT_YET);
    for (const int32_t process : missing(waiting.request)) reply.add_missing(process);
    over.emplace_back(waiting.answer, std::move(reply));
  }
  for (const Waiting& waiting : waiting_) {
    if (waiting.until <= now && waiting.request.has_join()) {
      workers_[static_cast<size_t>(waiting.request.process())] = {};
    }
  }
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                [&](const Waiting& waiting) { return waiting.until <= now; }),
                 waiting_.end());
  for (const auto& [answer, reply] : over) answer(reply);
}

std::vector<Meeting::Waiting> Meeting::take(
    const std::function<bool(const wire::Request&)>& belongs) {
  const auto first =
      std::stable_partition(waiting_.begin(), waiting_.end(),
                            [&](const Waiting& waiting) { return !belongs(waiting.request); });
  std::vector<Waiting> taken(std::make_move_iterator(first),
                             std::make_move_iterator(waiting_.end()));
  waiting_.erase(first, waiting_.end());
  return taken;
}

bool Meeting::all_wait(const std::function<bool(const wire::Request&)>& belongs) const {
  const auto here = std::count_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& waiting) { return belongs(waiting.request); });
  const auto left = std::count_if(workers_.begin(), workers_.end(),
                                  [](const Worker& worker) { return worker.state == State::left; });
  return here > 0 && here + left == static_cast<std::ptrdiff_t>(workers_.size());
}

std::vector<int32_t> Meeting::missing(const wire::Request& request) const {
  std::vector<bool> here(workers_.size(), false);
  here[static_cast<size_t>(request.process())] = true;
  for (const Waiting& waiting : waiting_) {
    const bool same = request.has_join()   ? waiting.request.has_join()
                      : request.has_step() ? waiting.request.has_step()
                                           : same_barrier(request, waiting.request);
    if (same) here[static_cast<size_t>(waiting.request.process())] = true;
  }
  if (request.has_leave()) {
    for (size_t i = 0; i < here.size(); ++i) here[i] = workers_[i].state != State::joined;
  }
  std::vector<int32_t> missing;
  if (!request.has_join() && !request.has_step() && !request.has_barrier() &&
      !request.has_leave()) {
    return missing;
  }
  for (size_t i = 0; i < here.size(); ++i) {
    if (!here[i]) missing.push_back(static_cast<int32_t>(i));
  }
  return missing;
}

}  // namespace cluster
}  // namespace systolic::inline v0
