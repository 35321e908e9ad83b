// What peers say: to the coordination service of a run of several processes, and to a device that
// is served. The bytes are messages, each after a byte with its length.
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "backends/cpu/client.h"
#include "systolic/cluster/coordination/meeting.h"
#include "systolic/remote/server/session.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;
using cluster::Meeting;

std::vector<std::string_view> messages_of(std::string_view bytes) {
  std::vector<std::string_view> messages;
  while (!bytes.empty()) {
    const size_t length = static_cast<unsigned char>(bytes[0]);
    messages.push_back(bytes.substr(1, length));
    bytes.remove_prefix(std::min(bytes.size(), length + 1));
  }
  return messages;
}

// Session 1 stands for that of the process, which nobody can guess. Every request is answered once
// at most, and all are when the meeting has waited long enough.
void meet(const std::vector<std::string_view>& messages) {
  constexpr int count = 3;
  Meeting meeting({.count = count, .version = "1", .most_value_bytes = 1 << 16});
  Meeting::Time now{std::chrono::seconds(1000)};
  std::vector<uint64_t> sessions(count, 0);
  std::vector<int> answers;
  std::vector<cluster::wire::Request> requests;
  for (const std::string_view message : messages) {
    cluster::wire::Request request;
    if (!request.ParseFromArray(message.data(), static_cast<int>(message.size()))) continue;
    const int process = request.process();
    const bool is_known = process >= 0 && process < count;
    if (request.session() == 1 && is_known) {
      request.set_session(sessions[static_cast<size_t>(process)]);
    }
    if (request.wait_seconds() == 77 && !requests.empty()) {
      meeting.disconnected(now, requests[message.size() % requests.size()]);
    }
    const size_t number = answers.size();
    answers.push_back(0);
    requests.push_back(request);
    meeting.handle(now, request, [&, number, process, is_known](const cluster::wire::Reply& reply) {
      if (++answers[number] > 1) throw std::logic_error("a request is answered twice");
      if (reply.session() != 0 && is_known) {
        sessions[static_cast<size_t>(process)] = reply.session();
      }
    });
    now += std::chrono::milliseconds(message.size());
    meeting.tick(now);
  }
  now += std::chrono::hours(1000);
  meeting.tick(now);
}

void serve(const std::vector<std::string_view>& messages) {
  static const runtime::ClientPtr device = cpu::open_software_tpu("v3-8", 2);
  remote::ProgramCache programs;
  int64_t sent = 0;
  remote::Session session(device, programs, {.version = "1", .most_bytes = 1 << 20},
                          [&](const remote::wire::Event& event) {
                            sent += static_cast<int64_t>(event.ByteSizeLong());
                          });
  for (const std::string_view message : messages) {
    remote::wire::Command command;
    if (!command.ParseFromArray(message.data(), static_cast<int>(message.size()))) continue;
    if (!session.handle(command)) return;
  }
}

}  // namespace

void rpc(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::vector<std::string_view> messages = messages_of(bytes.substr(1));
  if (bytes[0] == 'm') {
    attempt([&] { meet(messages); });
  } else {
    attempt([&] { serve(messages); });
  }
}

}  // namespace fuzz
