#include "backends/pjrt/api/event.h"

#include <memory>
#include <utility>

namespace systolic::inline v0 {
namespace pjrt {
namespace {

struct Callback {
  ApiPtr api;
  std::function<void(std::optional<PluginError>)> function;
};

void call_back(abi::Error* error, void* argument) {
  const std::unique_ptr<Callback> callback(static_cast<Callback*>(argument));
  std::optional<PluginError> report;
  if (error != nullptr) report = read_error(*callback->api, error);
  callback->api->destroy(error);
  try {
    callback->function(std::move(report));
  } catch (...) {  // it would end the plugin's thread, and with it the process
  }
}

}  // namespace

void Event::await() const {
  if (!handle_) return;
  abi::EventAwaitArgs args{};
  args.event = handle_.get();
  handle_.api().call(args);
}

bool Event::ready() const {
  if (!handle_) return true;
  abi::EventIsReadyArgs args{};
  args.event = handle_.get();
  handle_.api().call(args);
  return args.ready;
}

void Event::on_ready(std::function<void(std::optional<PluginError>)> function) const {
  if (!handle_) {
    function(std::nullopt);
    return;
  }
  auto callback = std::make_unique<Callback>(Callback{handle_.api_ptr(), std::move(function)});
  abi::EventOnReadyArgs args{};
  args.event = handle_.get();
  args.callback = call_back;
  args.argument = callback.get();
  handle_.api().call(args);  // an error: the callback was not, and will not be called
  static_cast<void>(callback.release());
}

}  // namespace pjrt
}  // namespace systolic::inline v0
