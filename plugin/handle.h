// Our objects, which callers hold by pointer.
#pragma once

#include "systolic/pjrt_abi/pjrt_abi.h"
#include "systolic/pjrt_abi/pjrt_abi_served.h"

namespace systolic::inline v0 {
namespace plugin {

namespace abi = pjrt::abi;

struct Client;
struct Device;
struct Memory;
struct Event;
struct TopologyDescription;
struct Buffer;
struct Executable;
struct LoadedExecutable;

template <class Theirs>
struct ObjectOf;
// clang-format off
template <> struct ObjectOf<abi::Client> { using type = Client; };
template <> struct ObjectOf<abi::Device> { using type = Device; };
template <> struct ObjectOf<abi::DeviceDescription> { using type = Device; };
template <> struct ObjectOf<abi::Memory> { using type = Memory; };
template <> struct ObjectOf<abi::Event> { using type = Event; };
template <> struct ObjectOf<abi::Topology> { using type = TopologyDescription; };
template <> struct ObjectOf<abi::Buffer> { using type = Buffer; };
template <> struct ObjectOf<abi::Executable> { using type = Executable; };
template <> struct ObjectOf<abi::LoadedExecutable> { using type = LoadedExecutable; };
// clang-format on

[[noreturn]] void raise_null_handle();

// The object; a null pointer is an InvalidArgument.
template <class Theirs>
typename ObjectOf<Theirs>::type& of(Theirs* handle) {
  if (handle == nullptr) raise_null_handle();
  return *reinterpret_cast<typename ObjectOf<Theirs>::type*>(handle);
}
template <class Theirs>
const typename ObjectOf<Theirs>::type& of(const Theirs* handle) {
  if (handle == nullptr) raise_null_handle();
  return *reinterpret_cast<const typename ObjectOf<Theirs>::type*>(handle);
}
template <class Theirs>
Theirs* handle(typename ObjectOf<Theirs>::type* object) {
  return reinterpret_cast<Theirs*>(object);
}

}  // namespace plugin
}  // namespace systolic::inline v0
