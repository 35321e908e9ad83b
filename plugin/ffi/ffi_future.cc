#include "plugin/ffi/ffi_future.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

struct Future {
  std::mutex mutex;
  std::condition_variable came;
  bool is_set = false;
  Error* error = nullptr;

  // Notifies under the lock: whoever waits frees the future as soon as it has the lock.
  void set(Error* given) {
    const std::lock_guard lock(mutex);
    is_set = true;
    error = given;
    came.notify_all();
  }
};

Error* future_create(FutureCreateArgs* args) {
  args->future = new Future;
  return nullptr;
}

Error* future_set_available(FutureSetAvailableArgs* args) {
  args->future->set(nullptr);
  return nullptr;
}

Error* future_set_error(FutureSetErrorArgs* args) {
  args->future->set(args->error);
  return nullptr;
}

Error* wait_for(Future* future) {
  const std::unique_ptr<Future> owned(future);
  std::unique_lock lock(owned->mutex);
  owned->came.wait(lock, [&] { return owned->is_set; });
  Error* error = owned->error;
  lock.unlock();
  return error;
}

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
