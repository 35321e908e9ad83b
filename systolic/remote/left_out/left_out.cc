// Replaces server/, client/ and wire/ where Systolic is built without gRPC.
#include "systolic/base/error.h"
#include "systolic/remote/remote_client.h"
#include "systolic/remote/serve.h"

namespace systolic::inline v0 {
namespace remote {
namespace {

[[noreturn]] void raise_left_out() {
  raise<Unimplemented>(
      {.what = "this Systolic was built without gRPC, by which programs reach other machines",
       .hint = "apt-get install libgrpc++-dev libprotobuf-dev protobuf-compiler-grpc, then "
               "configure and build "
               "again"});
}

}  // namespace

runtime::ClientPtr open_remote(const std::string&, const RemoteOptions&) { raise_left_out(); }

std::unique_ptr<Served> serve(runtime::ClientPtr, const ServeOptions&) { raise_left_out(); }

}  // namespace remote
}  // namespace systolic::inline v0
