#include "plugin/exchange.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

uint64_t mixed(uint64_t a, uint64_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15u;
  return a ^ (a >> 29);
}

}  // namespace

Span::Span(const Client& client, const std::vector<int64_t>& devices) {
  const runtime::Topology& topology = client.topology();
  std::map<int, std::vector<size_t>> found;
  for (size_t place = 0; place < devices.size(); ++place) {
    found[topology.core(static_cast<int>(devices[place])).process].push_back(place);
  }
  for (auto& [process, at] : found) {
    if (process == topology.process_index()) own = at;
    processes.push_back(process);
    places.push_back(std::move(at));
  }
}

size_t Span::most_devices() const {
  size_t most = 0;
  for (const auto& at : places) most = std::max(most, at.size());
  return most;
}

Exchange::Exchange(ProcessGroup& group, const Span& span, std::string program)
    : group_(group), span_(span), program_(std::move(program)), run_(++group.runs) {
  if (group_.broken) {
    raise<FailedPrecondition>({.what = "a program of several processes failed in this one before",
                               .hint = "it said why; start all processes again"});
  }
}

std::vector<uint64_t> Exchange::gathered(const std::vector<uint64_t>& own) {
  std::vector<uint64_t> all(own.size() * span_.processes.size());
  group_.peers->all_gather(reinterpret_cast<const std::byte*>(own.data()),
                           reinterpret_cast<std::byte*>(all.data()), own.size() * sizeof(uint64_t));
  return all;
}

void Exchange::agree(std::vector<ExchangedArgument>& arguments, bool failed) {
  uint64_t state = arguments.size();
  for (const ExchangedArgument& argument : arguments) state = mixed(state, argument.number);
  constexpr size_t fields = 3;
  const std::vector<uint64_t> own{std::hash<std::string>{}(program_), failed ? 1u : 0u, state};
  const std::vector<uint64_t> all = gathered(own);
  bool same = true;
  for (size_t i = 0; i < span_.processes.size(); ++i) {
    if (all[fields * i + 1] != 0 && !failed) {
      raise<FailedPrecondition>({.what = str("process ", span_.processes[i],
                                             " cannot run a program that all run together"),
                                 .hint = "it says why"});
    }
    if (all[fields * i] != own[0]) {
      raise<FailedPrecondition>(
          {.what = str("process ", span_.processes[i], " runs another program than this one"),
           .hint = "all processes must come to the same programs in the same order"});
    }
    same = same && all[fields * i + 2] == state;
  }
  if (failed) return;
  std::vector<uint64_t> numbers;
  for (const ExchangedArgument& argument : arguments) numbers.push_back(argument.number);
  const std::vector<uint64_t> of_all = same ? numbers : gathered(numbers);
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].travels = false;
    for (size_t at = i; at < of_all.size(); at += arguments.size()) {
      if (of_all[at] == 0 || of_all[at] != numbers[i]) arguments[i].travels = true;
    }
  }
}

// The parts of a process's devices side by side, and room for as many as any process has.
void Exchange::gather(ExchangedArgument& argument) {
  const auto bytes = static_cast<size_t>(argument.part.bytes());
  const size_t block = bytes * span_.most_devices();
  argument.parts.assign(0, Literal());
  std::vector<std::byte> own(block), all(block * span_.processes.size());
  for (size_t i = 0; i < argument.own.size() && bytes > 0; ++i) {
    std::memcpy(own.data() + i * bytes, argument.own[i].raw(), bytes);
  }
  group_.peers->all_gather(own.data(), all.data(), block);
  size_t devices = 0;
  for (const auto& at : span_.places) devices += at.size();
  for (size_t i = 0; i < devices; ++i) {
    argument.parts.emplace_back(argument.part.dtype, argument.part.shape);
  }
  for (size_t process = 0; process < span_.places.size(); ++process) {
    for (size_t i = 0; i < span_.places[process].size() && bytes > 0; ++i) {
      std::memcpy(argument.parts[span_.places[process][i]].mutable_raw(),
                  all.data() + process * block + i * bytes, bytes);
    }
  }
}

uint64_t Exchange::number_of_result(size_t result) const {
  // Never 0 or 1, which stand for arrays without a number of their own.
  return mixed(mixed(group_.number, run_), result) | 2;
}

}  // namespace plugin
}  // namespace systolic::inline v0
