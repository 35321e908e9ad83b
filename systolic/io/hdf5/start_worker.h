// The process in which libhdf5 runs, and how it is started.
//
// A file of others must not crash, fill or take over the user's process; libhdf5 cannot promise
// that. What would not do:
// - fork, and go on in the child: of a program with threads the child may only call what a signal
//   handler may. glibc's malloc is safe there, libhdf5 is not where another thread of the user's is
//   in it; a process with gigabytes of weights takes long to copy; and a child that a file has
//   taken over could read all the user's memory.
// - to start the user's program again with a word for a constructor: its other constructors would
//   run, and main itself where the library came by dlopen (Python loads the PJRT plugin so).
// - a program beside the library: it must be found on the user's machine, also from a static binary
//   that was copied there.
// So the worker is a small program of its own, which the library holds as bytes, writes to memory
// and starts from there, by posix_spawn: it has none of the user's memory, threads or open
// files, and what it costs (some milliseconds) does not depend on the user's process. The program
// that links the library needs no libhdf5.
//
// It has limits (worker/limits.h), reads the one open file that it is given, and answers through
// a window of shared memory (wire.h).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/io/hdf5/wire.h"

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

class Hdf5Worker {
 public:
  // `file` is what it reads or writes; `path` names it in errors. A build without libhdf5, and a
  // system that starts no programs from memory, are an Unimplemented.
  Hdf5Worker(int file, uint64_t window_bytes, const WorkerLimits& limits, const std::string& path,
             SourceLocation location);
  ~Hdf5Worker();
  Hdf5Worker(const Hdf5Worker&) = delete;
  Hdf5Worker& operator=(const Hdf5Worker&) = delete;

  std::span<char> window() const { return window_; }
  // More processor time than it has used of what it was given.
  void allow(uint64_t processor_seconds);
  // Asks, and gives each piece of the answer to `take`. What the worker cannot read, and its end,
  // are a DataLoss that names the file; after its end every question is one.
  using Take = std::function<void(std::string_view piece)>;
  void ask(const hdf5_wire::Message& request, const Take& take, SourceLocation location);

 private:
  void start(int file, SourceLocation location);
  void send(const hdf5_wire::Message& message, SourceLocation location);
  hdf5_wire::Message receive(SourceLocation location);
  void take_piece(const Take& take, std::string_view piece);
  [[noreturn]] void raise_ended(SourceLocation location);
  int wait_for_end();
  void end();

  std::string path_;
  WorkerLimits limits_;
  OpenNumber socket_, window_file_;
  std::span<char> window_;
  pid_t process_ = -1;
  std::string how_it_ended_;
};

}  // namespace io
}  // namespace systolic::inline v0
