// Owns one object of a plugin: it is destroyed by the function that takes DestroyArgs, whose
// failures are ignored.
#pragma once

#include <utility>

#include "backends/pjrt/api/api.h"

namespace systolic::inline v0 {
namespace pjrt {

template <class Thing, class DestroyArgs, Thing* DestroyArgs::*member>
class Handle {
 public:
  Handle() = default;
  Handle(ApiPtr api, Thing* thing) : api_(std::move(api)), thing_(thing) {}
  Handle(Handle&& other) noexcept
      : api_(std::move(other.api_)), thing_(std::exchange(other.thing_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(thing_, other.thing_);
    return *this;
  }
  ~Handle() {
    if (thing_ == nullptr) return;
    DestroyArgs args{};
    args.*member = thing_;
    api_->call_quietly(args);
  }

  explicit operator bool() const { return thing_ != nullptr; }
  Thing* get() const { return thing_; }
  const Api& api() const { return *api_; }
  const ApiPtr& api_ptr() const { return api_; }

 private:
  ApiPtr api_;
  Thing* thing_ = nullptr;
};

using EventHandle = Handle<abi::Event, abi::EventDestroyArgs, &abi::EventDestroyArgs::event>;
using ClientHandle = Handle<abi::Client, abi::ClientDestroyArgs, &abi::ClientDestroyArgs::client>;
using BufferHandle = Handle<abi::Buffer, abi::BufferDestroyArgs, &abi::BufferDestroyArgs::buffer>;
using ExecutableHandle =
    Handle<abi::Executable, abi::ExecutableDestroyArgs, &abi::ExecutableDestroyArgs::executable>;
using LoadedExecutableHandle = Handle<abi::LoadedExecutable, abi::LoadedExecutableDestroyArgs,
                                      &abi::LoadedExecutableDestroyArgs::executable>;
using TopologyHandle =
    Handle<abi::Topology, abi::TopologyDestroyArgs, &abi::TopologyDestroyArgs::topology>;

}  // namespace pjrt
}  // namespace systolic::inline v0
