// A process in which a library that reads files of others runs, and how it is started.
//
// A file of others must not crash, fill or take over the user's process; libhdf5 and libparquet
// cannot promise that. What would not do:
// - fork, and go on in the child: of a program with threads the child may only call what a signal
//   handler may. glibc's malloc is safe there, such libraries are not where another thread of the
//   user's is in them; a process with gigabytes of weights takes long to copy; and a child that a
//   file has taken over could read all the user's memory.
// - to start the user's program again with a word for a constructor: its other constructors would
//   run, and main itself where the library came by dlopen (Python loads the PJRT plugin so).
// - a program beside the library: it must be found on the user's machine, also from a static binary
//   that was copied there.
// So a worker is a small program of its own, which the library holds as bytes, writes to memory and
// starts from there, by posix_spawn: it has none of the user's memory, threads or open files, and
// what it costs (some milliseconds) does not depend on the user's process. The program that links
// the library does not load what the worker needs.
//
// It has limits (program/limits.h), reads the one open file that it is given or asks for its bytes,
// and answers through a window of shared memory (wire.h).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "systolic/base/source_location.h"
#include "systolic/io/worker/wire.h"

namespace systolic::inline v0 {
namespace io {

// An open file's number, closed with it.
class OpenNumber {
 public:
  explicit OpenNumber(int number = -1) : number_(number) {}
  ~OpenNumber();
  OpenNumber(OpenNumber&& other) noexcept;
  OpenNumber& operator=(OpenNumber&& other) noexcept;
  operator int() const { return number_; }  // NOLINT: what the system's functions take

 private:
  int number_;
};

// A file that lies in memory and has no name. None to be had is a ResourceExhausted.
OpenNumber file_in_memory(SourceLocation location);

struct WorkerLimits {
  uint64_t memory_bytes = uint64_t{1} << 30;
  uint64_t processor_seconds = 3;
};

// What a worker runs. One of each kind, kept as long as the program runs.
class WorkerProgram {
 public:
  // Why a build holds no bytes of it; raised by descriptor().
  struct Absent {
    std::string what, hint;
  };
  // `format` names what it reads ("HDF5"), `image` are the bytes of its file, "" in a build without
  // it. `library_folder` is where the shared libraries lie that the system's folders lack.
  WorkerProgram(std::string format, std::string_view image, Absent absent,
                std::string library_folder = "")
      : format_(std::move(format)),
        image_(image),
        absent_(std::move(absent)),
        library_folder_(std::move(library_folder)) {}

  const std::string& format() const { return format_; }
  const std::string& library_folder() const { return library_folder_; }
  // The file in memory that holds it, written once. Unimplemented in a build without it.
  int descriptor(SourceLocation location) const;

 private:
  OpenNumber written(SourceLocation location) const;

  std::string format_;
  std::string_view image_;
  Absent absent_;
  std::string library_folder_;
  mutable std::mutex mutex_;
  mutable OpenNumber file_;
};

class WorkerProcess {
 public:
  // `file` is what it reads or writes, -1 for none; `path` names it in errors. A build without the
  // program, and a system that starts none from memory, are an Unimplemented.
  WorkerProcess(const WorkerProgram& program, int file, uint64_t window_bytes,
                const WorkerLimits& limits, const std::string& path, SourceLocation location);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  std::span<char> window() const { return window_; }
  // More processor time than it has used of what it was given.
  void allow(uint64_t processor_seconds);
  // Asks, and gives each piece of the answer to `take`. What the worker cannot read, and its end,
  // are a DataLoss that names the file; after its end every question is one.
  using Take = std::function<void(std::string_view piece)>;
  void ask(const worker_wire::Message& request, const Take& take, SourceLocation location) {
    begin(request, location);
    finish(take, location);
  }
  // The same in two parts, between which the worker is at work and the window is its own.
  void begin(const worker_wire::Message& request, SourceLocation location) {
    send(request, location);
  }
  void finish(const Take& take, SourceLocation location);
  // Where the worker gets the bytes of a file that only the library can reach: puts up to `size`
  // bytes from `offset` into the window, and returns how many came.
  using Fetch = std::function<uint64_t(uint64_t offset, std::span<char> to)>;
  void serve(Fetch fetch) { fetch_ = std::move(fetch); }

 private:
  void start(int file, SourceLocation location);
  void send(const worker_wire::Message& message, SourceLocation location);
  worker_wire::Message receive(SourceLocation location);
  void take_piece(const Take& take, std::string_view piece);
  uint64_t fetched(const worker_wire::Message& wanted);
  [[noreturn]] void raise_ended(SourceLocation location);
  int wait_for_end();
  void end();

  const WorkerProgram& program_;
  std::string path_;
  WorkerLimits limits_;
  Fetch fetch_;
  OpenNumber socket_, window_file_;
  std::span<char> window_;
  pid_t process_ = -1;
  std::string how_it_ended_;
};

}  // namespace io
}  // namespace systolic::inline v0
