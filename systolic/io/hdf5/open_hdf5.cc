#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file_bytes.h"
#include "systolic/io/files/unpacked_size.h"
#include "systolic/io/hdf5/hdf5.h"
#include "systolic/io/hdf5/parse_tree.h"
#include "systolic/io/hdf5/wire.h"
#include "systolic/io/hdf5/worker_image.h"
#include "systolic/io/tensors/git_lfs.h"
#include "systolic/io/tensors/stored_literal.h"
#include "systolic/io/worker/worker_process.h"

namespace systolic::inline v0 {
namespace io {
namespace {

namespace wire = hdf5_wire;

constexpr uint64_t most_tree_bytes = uint64_t{1} << 28;
// At least, on a slow processor: names and attributes of a file; numbers that are unpacked.
constexpr uint64_t listed_in_a_second = uint64_t{1} << 24, unpacked_in_a_second = uint64_t{1} << 24;

// Where an HDF5 file's bytes are: a part of a local file, or memory.
struct Hdf5Source {
  std::string path;
  std::shared_ptr<const FileBytes> file;  // or
  std::string_view memory;
  std::shared_ptr<const void> owner;  // of it
  uint64_t offset = 0, bytes = 0;     // in the file

  FileBytes::Piece read(uint64_t at, uint64_t size) const {
    if (file) return file->read(offset + at, size);
    return {reinterpret_cast<const std::byte*>(memory.data()) + at, size, owner};
  }
};

// For the worker, what lies in memory becomes a file.
OpenNumber as_file(std::string_view memory, SourceLocation location) {
  OpenNumber file = file_in_memory(location);
  if (!write_all(file, memory.data(), memory.size())) {
    raise<ResourceExhausted>({.what = str("no memory for ", memory.size(),
                                          " bytes of an HDF5 "
                                          "file: ",
                                          strerror(errno)),
                              .location = location});
  }
  return file;
}

}  // namespace

struct Hdf5File::State {
  State(Hdf5Source opened, SourceLocation location) : source(std::move(opened)) {
    check_format(location);
    WorkerLimits limits;
    limits.processor_seconds += source.bytes / listed_in_a_second;
    OpenNumber copy;
    if (!source.file) copy = as_file(source.memory, location);
    worker = std::make_unique<WorkerProcess>(
        hdf5_program(), source.file ? source.file->descriptor() : copy, wire::least_window_bytes,
        limits, source.path, location);
    std::string bytes;
    auto fail = [&](std::string_view what) {
      raise<DataLoss>(
          {.what = str("'", source.path, "' cannot be read: ", what), .location = location});
    };
    worker->ask(
        {.kind = wire::Kind::list, .a = source.offset, .b = source.bytes},
        [&](std::string_view piece) {
          if (bytes.size() + piece.size() > most_tree_bytes)
            fail("names and attributes that fill the memory");
          bytes += piece;
        },
        location);
    tree = parse_tree(bytes, fail);
    if (!needs_worker()) worker = nullptr;
  }

  void check_format(SourceLocation location) const {
    constexpr uint64_t magic_bytes = 8;
    const FileBytes::Piece first = source.read(0, std::min(source.bytes, magic_bytes));
    const std::string_view text(reinterpret_cast<const char*>(first.data), first.size);
    if (text.size() == magic_bytes) check_no_git_lfs_pointer(source.path, text, location);
  }

  bool needs_worker() const {
    for (const Hdf5Place& place : tree.places) {
      if (place.unreadable.empty() && place.offset == wire::no_place) return true;
    }
    return false;
  }

  void check_readable(const Hdf5Place& place, std::string_view name,
                      SourceLocation location) const {
    if (!place.unreadable.empty()) {
      raise<Unimplemented>({.what = str("'", source.path, "': dataset '", name,
                                        "' cannot be read: ", place.unreadable),
                            .location = location});
    }
    const uint64_t size = TensorInfo{"", place.dtype, place.shape}.byte_size();
    if (!unpacks_to_too_much(size, place.stored_bytes)) return;
    raise<ResourceExhausted>({.what = str("'", source.path, "': dataset '", name, "' of ", size,
                                          " bytes, of which ", place.stored_bytes, " are stored"),
                              .wanted = "at most a hundred times as many",
                              .location = location});
  }

  Literal read_in_place(const Hdf5Place& place, std::string_view name,
                        SourceLocation location) const {
    const TensorInfo array{"", place.dtype, place.shape};
    const uint64_t size = array.byte_size();
    if (place.offset <= source.bytes && size <= source.bytes - place.offset) {
      const FileBytes::Piece piece = source.read(place.offset, size);
      if (piece.size == size) return stored_literal(array, piece.data, piece.owner);
    }
    raise<DataLoss>({.what = str("'", source.path, "': dataset '", name, "' of ", size,
                                 " bytes at ", place.offset, " of ", source.bytes),
                     .location = location});
  }

  Literal read_by_worker(const Hdf5Place& place, size_t number, SourceLocation location) const {
    const std::lock_guard lock(asking);
    Literal array(place.dtype, place.shape);
    auto* out = array.mutable_raw();
    const size_t size = array.byte_size();
    size_t done = 0;
    worker->allow(1 + size / unpacked_in_a_second);
    worker->ask(
        {.kind = wire::Kind::read, .a = number},
        [&](std::string_view piece) {
          const size_t count = std::min(piece.size(), size - done);
          std::memcpy(out + done, piece.data(), count);
          done += count;
        },
        location);
    if (done < size) {
      raise<DataLoss>({.what = str("'", source.path, "': ", done, " bytes of a dataset of ", size),
                       .location = location});
    }
    if (place.dtype != DType::pred) return array;
    // Truth values of a file may be others than 0 and 1.
    return stored_literal({"", place.dtype, place.shape}, out,
                          std::make_shared<const Literal>(array));
  }

  Hdf5Source source;
  Hdf5Tree tree;
  std::unique_ptr<WorkerProcess> worker;
  mutable std::mutex asking;
};

const std::string& Hdf5File::path() const { return state_->source.path; }
const Hdf5Group& Hdf5File::root() const { return state_->tree.root; }

Literal Hdf5File::read(const Hdf5Dataset& dataset, SourceLocation location) const {
  const Hdf5Place& place = state_->tree.places.at(dataset.number);
  state_->check_readable(place, dataset.name, location);
  if (place.shape.elements() == 0) return {place.dtype, place.shape};
  if (place.offset != wire::no_place) return state_->read_in_place(place, dataset.name, location);
  return state_->read_by_worker(place, dataset.number, location);
}

Literal Hdf5File::read(std::string_view path, SourceLocation location) const {
  if (const Hdf5Dataset* dataset = root().find_dataset(path)) return read(*dataset, location);
  raise<NotFound>(
      {.what = str("'", this->path(), "' has no dataset '", path, "'"), .location = location});
}

Hdf5File open_hdf5(const std::string& path, const OpenHdf5Options& options,
                   SourceLocation location) {
  return open_hdf5(std::make_shared<const FileBytes>(path, location), path, options, location);
}

Hdf5File open_hdf5(std::shared_ptr<const FileBytes> file, const std::string& path,
                   const OpenHdf5Options& options, SourceLocation location) {
  if (options.offset > file->size() || options.bytes.value_or(0) > file->size() - options.offset) {
    raise<InvalidArgument>(
        {.what = str("bytes ", options.offset, " to ", options.offset + options.bytes.value_or(0),
                     " of '", path, "', which has ", file->size()),
         .location = location});
  }
  const uint64_t bytes = options.bytes.value_or(file->size() - options.offset);
  if (file->descriptor() < 0) {
    const FileBytes::Piece all = file->read(options.offset, bytes);
    return open_hdf5_bytes({reinterpret_cast<const char*>(all.data), all.size}, all.owner, path,
                           location);
  }
  return Hdf5File(std::make_shared<const Hdf5File::State>(Hdf5Source{.path = path,
                                                                     .file = std::move(file),
                                                                     .memory = {},
                                                                     .owner = nullptr,
                                                                     .offset = options.offset,
                                                                     .bytes = bytes},
                                                          location));
}

Hdf5File open_hdf5_bytes(std::string_view bytes, std::shared_ptr<const void> owner,
                         const std::string& path, SourceLocation location) {
  return Hdf5File(std::make_shared<const Hdf5File::State>(Hdf5Source{.path = path,
                                                                     .file = nullptr,
                                                                     .memory = bytes,
                                                                     .owner = std::move(owner),
                                                                     .offset = 0,
                                                                     .bytes = bytes.size()},
                                                          location));
}

}  // namespace io
}  // namespace systolic::inline v0
