#include "tests/faults/failing_system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>

namespace systolic {
namespace {

std::atomic<bool> armed{false};
std::atomic<int64_t> calls{0}, failures{0};
Fault fault_now;

bool of_a_test(const char* path) { return std::strstr(path, "systolic-test-") != nullptr; }

bool of_a_test(int descriptor) {
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return ::readlink(link.c_str(), path, sizeof(path) - 1) > 0 && of_a_test(path);
}

// Whether this call is one that fails; then errno is set.
template <class Where>
bool fails(SystemCall call, Where where) {
  if (!armed || call != fault_now.call || !of_a_test(where)) return false;
  const int64_t number = ++calls;
  if (number != fault_now.number && !(fault_now.and_later && number > fault_now.number))
    return false;
  ++failures;
  if (fault_now.error == kills_process) ::kill(::getpid(), SIGKILL);
  errno = fault_now.error;
  return true;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int open_or_fail(const char* name, const char* path, int flags, mode_t mode) {
  if (fails(SystemCall::open, path)) return -1;
  return real<int(const char*, int, ...)>(name)(path, flags, mode);
}

}  // namespace

FailingSystem::FailingSystem(const Fault& fault) {
  fault_now = fault;
  calls = failures = 0;
  armed = true;
}
FailingSystem::~FailingSystem() { armed = false; }
bool FailingSystem::failed() const { return failures > 0; }

}  // namespace systolic

// libstdc++ and others are to call these, too.
#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return systolic::open_or_fail("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return systolic::open_or_fail("open64", path, flags, mode);
}
ssize_t write(int descriptor, const void* data, size_t size) {
  using systolic::SystemCall;
  if (systolic::fails(SystemCall::write, descriptor)) return -1;
  static auto* const next = systolic::real<ssize_t(int, const void*, size_t)>("write");
  return next(descriptor, data, size);
}
int fsync(int descriptor) {
  if (systolic::fails(systolic::SystemCall::fsync, descriptor)) return -1;
  return systolic::real<int(int)>("fsync")(descriptor);
}
int rename(const char* from, const char* to) noexcept {
  if (systolic::fails(systolic::SystemCall::rename, from)) return -1;
  return systolic::real<int(const char*, const char*)>("rename")(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  if (systolic::fails(systolic::SystemCall::mkdir, path)) return -1;
  return systolic::real<int(const char*, mode_t)>("mkdir")(path, mode);
}
int unlink(const char* path) noexcept {
  if (systolic::fails(systolic::SystemCall::unlink, path)) return -1;
  return systolic::real<int(const char*)>("unlink")(path);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  if (systolic::fails(systolic::SystemCall::thread, "systolic-test-")) return errno;
  static auto* const next =
      systolic::real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
          "pthread_create");
  return next(thread, attributes, body, argument);
}

}  // extern "C"
#pragma GCC visibility pop
