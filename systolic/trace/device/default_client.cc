#include "systolic/trace/device/default_client.h"

#include <mutex>
#include <utility>

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

}  // namespace

runtime::ClientPtr default_client() {
  std::lock_guard lock(holder().mutex);
  if (!holder().client) holder().client = runtime::open_client();
  return holder().client;
}

runtime::ClientPtr default_client_if_open() {
  std::lock_guard lock(holder().mutex);
  return holder().client;
}

runtime::ClientPtr set_default_client(runtime::ClientPtr client) {
  std::lock_guard lock(holder().mutex);
  return std::exchange(holder().client, std::move(client));
}

}  // namespace systolic::inline v0
