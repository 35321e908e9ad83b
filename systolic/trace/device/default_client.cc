#include "systolic/trace/device/default_client.h"

#include <mutex>
#include <utility>

#include "systolic/base/process/place_in_run.h"
#include "systolic/runtime/open_client.h"

namespace systolic::inline v0 {
namespace {

struct Holder {
  std::mutex mutex;
  runtime::ClientPtr client;
};

Holder& holder() {
  static Holder instance;
  return instance;
}

void tell_place(const runtime::ClientPtr& client) {
  if (!client) return set_place_in_run({});
  const runtime::Topology& topology = client->topology();
  set_place_in_run({topology.process_index(), topology.num_processes()});
}

}  // namespace

runtime::ClientPtr default_client() {
  std::lock_guard lock(holder().mutex);
  if (!holder().client) {
    holder().client = runtime::open_client();
    tell_place(holder().client);
  }
  return holder().client;
}

runtime::ClientPtr default_client_if_open() {
  std::lock_guard lock(holder().mutex);
  return holder().client;
}

runtime::ClientPtr set_default_client(runtime::ClientPtr client) {
  std::lock_guard lock(holder().mutex);
  tell_place(client);
  return std::exchange(holder().client, std::move(client));
}

}  // namespace systolic::inline v0
