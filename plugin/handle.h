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
struct Behind;
// clang-format off
template <> struct Behind<abi::Client> { using type = Client; };
template <> struct Behind<abi::Device> { using type = Device; };
template <> struct Behind<abi::DeviceDescription> { using type = Device; };
template <> struct Behind<abi::Memory> { using type = Memory; };
template <> struct Behind<abi::Event> { using type = Event; };
template <> struct Behind<abi::Topology> { using type = TopologyDescription; };
template <> struct Behind<abi::Buffer> { using type = Buffer; };
template <> struct Behind<abi::Executable> { using type = Executable; };
template <> struct Behind<abi::LoadedExecutable> { using type = LoadedExecutable; };
// clang-format on

[[noreturn]] void raise_null_handle();

// The object; a null pointer is an InvalidArgument.
template <class Theirs>
typename Behind<Theirs>::type& of(Theirs* handle) {
  if (handle == nullptr) raise_null_handle();
  return *reinterpret_cast<typename Behind<Theirs>::type*>(handle);
}
template <class Theirs>
const typename Behind<Theirs>::type& of(const Theirs* handle) {
  if (handle == nullptr) raise_null_handle();
  return *reinterpret_cast<const typename Behind<Theirs>::type*>(handle);
}
template <class Theirs>
Theirs* handle(typename Behind<Theirs>::type* object) {
  return reinterpret_cast<Theirs*>(object);
}

}  // namespace plugin
}  // namespace systolic::inline v0
