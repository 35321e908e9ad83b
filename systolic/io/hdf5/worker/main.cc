// The process in which libhdf5 runs: systolic/io/worker/worker_process.h says why there is one.
#include <cstdlib>
#include <optional>

#include "systolic/io/hdf5/worker/create.h"
#include "systolic/io/hdf5/worker/dataset.h"
#include "systolic/io/hdf5/worker/descriptor_driver.h"
#include "systolic/io/hdf5/worker/list.h"
#include "systolic/io/worker/program/channel.h"
#include "systolic/io/worker/program/limits.h"
#include "systolic/io/worker/program/serve.h"

namespace {

using namespace worker;

class Session {
 public:
  void answer(const wire::Message& request) {
    switch (request.kind) {
      case wire::Kind::list:
        return list(request.a, request.b);
      case wire::Kind::read:
        return read(request.a);
      case wire::Kind::create:
        return channel_.send_bytes(create_file(std::string(channel_.window().data(), request.a)));
      default:
        std::exit(0);
    }
  }

  [[noreturn]] void run() {
    serve(channel_, [this](const auto& request) { answer(request); });
  }

 private:
  void list(uint64_t offset, uint64_t bytes) {
    const Handle access =
        properties_of({.descriptor = wire::file_number, .offset = offset, .bytes = bytes});
    file_.emplace(H5Fopen("file", H5F_ACC_RDONLY, access), H5Fclose, "it as an HDF5 file");
    listing_ = list_file(*file_);
    channel_.send_bytes(listing_.tree);
    listing_.tree = {};
  }

  void read(uint64_t number) {
    if (!file_ || number >= listing_.datasets.size()) throw Fault("no such dataset");
    const Handle dataset(H5Oopen_by_addr(*file_, listing_.datasets[number]), H5Oclose, "a dataset");
    send_numbers(dataset, channel_);
  }

  Channel channel_;
  std::optional<Handle> file_;
  Listing listing_;
};

}  // namespace

// hdf5_worker MEMORY SECONDS: its limits, in bytes and of processor time.
int main(int count, char** arguments) {
  if (count != 3) return 2;
  set_limits(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10));
  // What libhdf5 does once is done before the kernel refuses it. No filter is ever loaded.
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);
  Session session;
  refuse_system_calls();
  session.run();
}
