#include "systolic/io/worker/program/limits.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "systolic/io/worker/wire.h"

namespace worker {
namespace {

void limit(int resource, uint64_t soft, uint64_t hard) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &now);
  const rlimit wanted{std::min<rlim_t>(soft, now.rlim_max), std::min<rlim_t>(hard, now.rlim_max)};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &wanted);
}

void close_other_files() {
  constexpr int first = systolic::io::worker_wire::window_number + 1, most = 65536;
  if (syscall(436 /* close_range, since Linux 5.9 */, first, ~0u, 0) == 0) return;
  const auto end = static_cast<int>(std::min<long>(most, sysconf(_SC_OPEN_MAX)));
  for (int number = first; number < end; ++number) close(number);
}

constexpr int allowed_calls[] = {
    SYS_read,         SYS_pread64, SYS_pwrite64,       SYS_ftruncate,     SYS_recvfrom,
    SYS_sendto,       SYS_mmap,    SYS_munmap,         SYS_mremap,        SYS_mprotect,
    SYS_brk,          SYS_madvise, SYS_futex,          SYS_exit,          SYS_exit_group,
    SYS_rt_sigreturn, SYS_getpid,  SYS_rt_sigprocmask, SYS_clock_gettime, SYS_gettimeofday,
};

}  // namespace

void set_limits(uint64_t memory, uint64_t seconds) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) signal(number, SIG_IGN);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_AS, memory, memory);
  limit(RLIMIT_CPU, seconds, RLIM_INFINITY);  // the parent may allow more
  close_other_files();
}

void refuse_system_calls() {
#if defined(__x86_64__)
  constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#endif
  const uint32_t refused = SECCOMP_RET_ERRNO | 1 /* EPERM */;
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
  };
  const size_t count = std::size(allowed_calls);
  for (size_t i = 0; i < count; ++i) {
    const auto steps = static_cast<uint8_t>(count - i);  // to "allowed", which follows "refused"
    filter.push_back(
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(allowed_calls[i]), steps, 0));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, refused));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace worker
