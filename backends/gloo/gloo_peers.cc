#include <chrono>
#include <thread>

#include "backends/gloo/mesh/open_mesh.h"
#include "backends/gloo/open_peers.h"
#include "backends/gloo/own_address.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace gloo_peers {
namespace {

constexpr double agree_seconds = 600;  // one process may compile or read longer

// A broken connection is found by both sides at once; the run knows a moment later who is gone.
std::string reason_of(cluster::Coordination& run, const std::string& of_gloo) {
  for (int i = 0; i < 20 && !run.failure(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (const auto failure = run.failure()) return *failure;
  try {
    run.barrier("the end of a broken exchange", 0.1);
  } catch (const FailedPrecondition& left) {
    return left.report().what;
  } catch (const Error&) {  // all are there
  }
  return of_gloo;
}

}  // namespace

// Who has died or hangs is found by the run's signs of life; who is slow is waited for.
runtime::PeersPtr open_peers(std::shared_ptr<cluster::Coordination> run, double seconds) {
  return open_mesh({
      .processes = run->place().processes,
      .address = own_address(run->place().coordinator),
      .connect_seconds = seconds,
      .put = [run](const std::string& key,
                   const std::string& value) { run->put("gloo/" + key, value); },
      .get = [run](const std::string& key, double most) { return run->get("gloo/" + key, most); },
      .agree = [run](const std::string& name,
                     const std::string& value) { run->agree(name, value, agree_seconds); },
      .reason = [run](const std::string& of_gloo) { return reason_of(*run, of_gloo); },
  });
}

}  // namespace gloo_peers
}  // namespace systolic::inline v0
