// One client of a served device: its buffers and its programs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "systolic/remote/wire/convert.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace remote {

// Programs that any client has compiled, for the others too.
class ProgramCache {
 public:
  runtime::ExecutablePtr find_or_compile(runtime::Client& client, const std::string& image,
                                         const runtime::CompileOptions& options);

 private:
  static constexpr size_t most_programs = 256;
  std::mutex mutex_;
  std::map<std::string, runtime::ExecutablePtr> programs_;  // by image and options
};

struct SessionOptions {
  std::string token = {};
  std::string version = {};
  int64_t most_bytes = int64_t{1} << 40;  // of all arrays of one client
};

class Session {
 public:
  using Write = std::function<void(const wire::Event&)>;
  Session(runtime::ClientPtr client, ProgramCache& programs, SessionOptions options, Write write);

  // Carries a command out; what it throws becomes the answer or, where none is wanted, is kept for
  // whoever asks for the array that was not made. False where the session is over: the client was
  // refused.
  bool handle(const wire::Command& command);

 private:
  struct Held {
    runtime::BufferPtr buffer;         // null where it was not made:
    std::shared_ptr<wire::Fault> why;  // then this says why
    int64_t bytes = 0;
  };
  struct Arriving {
    ir::Type type;
    runtime::Placement placement;
    std::string data;
  };

  wire::Event answer_to(const wire::Command& command);
  void open(const wire::Open& open, wire::Event& event);
  void upload(const wire::Upload& upload);
  void free(const wire::Free& free);
  void compile(const wire::Compile& compile, wire::Event& event);
  void execute(const wire::Execute& execute, wire::Event& event);
  void download(const wire::Command& command);
  void hold(uint64_t number, runtime::BufferPtr buffer);
  const runtime::BufferPtr& held(uint64_t number) const;
  std::vector<runtime::BufferPtr> take_arguments(const wire::Execute& execute);
  void fail_results(const wire::Command& command, const Error& error);
  void drop(uint64_t number);
  void send_array(uint64_t call, const Literal& literal);

  runtime::ClientPtr client_;
  ProgramCache& programs_;
  SessionOptions options_;
  Write write_;
  bool open_ = false;
  std::map<uint64_t, Held> buffers_;
  std::map<uint64_t, Arriving> arriving_;
  std::map<uint64_t, std::string> images_;  // of programs that are still coming
  std::map<uint64_t, runtime::ExecutablePtr> executables_;
  int64_t bytes_ = 0;
};

}  // namespace remote
}  // namespace systolic::inline v0
