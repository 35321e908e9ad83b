#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/io/hdf5/encode_tree.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker_image.h"
#include "systolic/io/worker/worker_process.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = hdf5_wire;

constexpr size_t copied_at_once = size_t{1} << 20;

// A dataset, and where its numbers go.
struct Hdf5Room {
  std::string path;
  Hdf5Dataset dataset;
  uint64_t offset = 0;
};

void collect_rooms(const Hdf5Group& group, const std::string& path, std::vector<Hdf5Room>& rooms) {
  // The order of the encoded tree: datasets come first.
  for (const Hdf5Dataset& dataset : group.datasets) rooms.push_back({path + dataset.name, dataset});
  for (const Hdf5Group& child : group.groups) collect_rooms(child, path + child.name + "/", rooms);
}

void check_value(const Hdf5Room& room, const Literal& value, SourceLocation location) {
  const Hdf5Dataset& wanted = room.dataset;
  if (value.dtype() == wanted.dtype && value.shape() == wanted.shape) return;
  raise<InvalidArgument>({.what = str("dataset '", room.path, "'"),
                          .got = str(value.dtype(), value.shape()),
                          .wanted = str(wanted.dtype, wanted.shape),
                          .location = location});
}

}  // namespace

// The file without its numbers, in memory: what lies between those is read from there. Room that
// nothing was written to takes none.
struct Hdf5Layout::Plan {
  Plan(const Hdf5Group& root, SourceLocation location) : frame(file_in_memory(location)) {
    const std::string tree = encode_tree(root, location);
    collect_rooms(root, "", rooms);
    WorkerProcess worker(hdf5_program(), frame,
                         std::max<uint64_t>(tree.size(), wire::least_window_bytes),
                         {.processor_seconds = 600}, "a new file", location);
    std::copy(tree.begin(), tree.end(), worker.window().begin());
    std::string places;
    worker.ask(
        {.kind = wire::Kind::create, .a = tree.size()},
        [&](std::string_view piece) { places += piece; }, location);
    wire::Reader in(places);
    for (Hdf5Room& room : rooms) room.offset = in.number();
    ensure(in.is_whole() && in.at_end(), "the worker placed each dataset");
    std::erase_if(rooms, [](const Hdf5Room& room) { return room.offset == wire::no_place; });
    std::sort(rooms.begin(), rooms.end(),
              [](const Hdf5Room& a, const Hdf5Room& b) { return a.offset < b.offset; });
    struct stat status {};
    if (::fstat(frame, &status) != 0) raise_file_error("cannot inspect", "a new file", errno);
    bytes = static_cast<uint64_t>(status.st_size);
  }

  void copy_frame(uint64_t begin, uint64_t end, const Sink& sink) const {
    std::string piece;
    while (begin < end) {
      piece.resize(std::min<uint64_t>(end - begin, copied_at_once));
      const ssize_t count = ::pread(frame, piece.data(), piece.size(), static_cast<off_t>(begin));
      ensure(count > 0, "the new file's frame has all its bytes");
      sink(piece.data(), static_cast<size_t>(count));
      begin += static_cast<uint64_t>(count);
    }
  }

  OpenNumber frame;
  std::vector<Hdf5Room> rooms;  // in the order in which they lie
  uint64_t bytes = 0;
};

Hdf5Layout::Hdf5Layout(const Hdf5Group& root, SourceLocation location)
    : plan_(std::make_unique<const Plan>(root, location)) {}
Hdf5Layout::~Hdf5Layout() = default;
Hdf5Layout::Hdf5Layout(Hdf5Layout&&) noexcept = default;

uint64_t Hdf5Layout::bytes() const { return plan_->bytes; }

void Hdf5Layout::write(const Sink& sink, const Hdf5Values& values, SourceLocation location) const {
  uint64_t done = 0;
  for (const Hdf5Room& room : plan_->rooms) {
    plan_->copy_frame(done, room.offset, sink);
    const Literal value = values(room.path, room.dataset);
    check_value(room, value, location);
    sink(value.raw(), value.byte_size());
    done = room.offset + value.byte_size();
  }
  plan_->copy_frame(done, plan_->bytes, sink);
}

void write_hdf5(const std::string& path, const Hdf5Group& root, const Hdf5Values& values,
                SourceLocation location) {
  const Hdf5Layout layout(root, location);
  AtomicFile file(path, location);
  layout.write([&](const void* data, size_t size) { file.write(data, size); }, values, location);
  file.commit();
}

}  // namespace io
}  // namespace systolic::inline v0
