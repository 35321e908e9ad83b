// What kills a run leaves a file that says what and where; a run that ends in order leaves none.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>
#include <thread>

#include "systolic/base/process/current_work.h"
#include "systolic/base/sanitized.h"
#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/monitor/crash/crash_report.h"
#include "systolic/monitor/crash/crash_watch.h"
#include "systolic/monitor/crash/hide_secrets.h"
#include "systolic/monitor/crash/safe_text.h"
#include "systolic/monitor/crash/write_record.h"

namespace systolic {
namespace {

using monitor::CrashCause;
using monitor::CrashReport;
using monitor::CrashWatch;

// A run of three steps, in step 2 of which `end` happens.
void run_until(const std::string& folder, const std::function<void()>& end) {
  const auto watch = std::make_shared<CrashWatch>(folder);
  EventStream stream;
  stream.add(watch);
  stream.publish(events::RunBegin{.name = "convnet", .epochs = 5, .batch_size = 32});
  stream.publish(events::EpochBegin{1});
  stream.publish(events::StepShapes{"x f32[32,784], y s32[32]"});
  for (int64_t step = 0; step < 2; ++step) {
    stream.publish(events::StepEnd{.step = step, .samples = 32, .milliseconds = 1.5});
    stream.publish(
        events::LossKnown{.step = step, .loss = 0.5f - 0.125f * static_cast<float>(step)});
  }
  auto status = std::make_unique<monitor::RunStatus>();
  status->run = stream.moment().run;
  status->time = 1'900'000'000;
  status->platform = "software_tpu";
  watch->note(*status);
  set_describe_work([]() -> WorkPlace {
    return {.what = "dot [32,784] x [784,128] f32\n more",
            .layer = "convnet/dense",
            .file = "a.cc",
            .line = 7};
  });
  end();
  stream.publish(events::RunEnd{});
}

class Crash : public testing::Test {
 protected:
  Crash() {
    std::string pattern = (std::filesystem::temp_directory_path() / "systolic-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Crash() override { std::filesystem::remove_all(folder_); }

  // In a process of its own, which `end` kills; how it ended, as waitpid says.
  int killed_by(const std::function<void()>& end) const {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      const int quiet = ::open("/dev/null", O_WRONLY);
      dup2(quiet, STDERR_FILENO);
      try {
        run_until(folder_, end);
      } catch (...) {
        _exit(1);
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }

  std::vector<std::string> files() const { return monitor::crash_files(folder_); }

  // That of the one file.
  CrashReport report() const {
    EXPECT_EQ(files().size(), 1u);
    return files().empty() ? CrashReport{} : monitor::read_crash_file(files().front());
  }

  std::string folder_;
};

void expect_what_the_run_told(const CrashReport& report) {
  EXPECT_EQ(report.run, "convnet");
  EXPECT_EQ(report.shapes, "x f32[32,784], y s32[32]");
  EXPECT_EQ(report.steps, 2);
  EXPECT_EQ(report.epoch, 1);
  EXPECT_EQ(report.device, "software_tpu ");
  ASSERT_EQ(report.last_steps.size(), 2u);
  EXPECT_EQ(report.last_steps[0].step, 0);
  EXPECT_EQ(report.last_steps[1].loss, 0.375f);
  EXPECT_EQ(report.last_steps[1].milliseconds, 1.5);
  ASSERT_EQ(report.memory.size(), 1u);
  EXPECT_GT(report.memory[0].process_bytes, 0);
  EXPECT_CONTAINS(report.versions, "systolic 0.");
}

void expect_where_it_was(const CrashReport& report) {
  EXPECT_EQ(report.doing, "dot [32,784] x [784,128] f32");
  EXPECT_EQ(report.layer, "convnet/dense");
  EXPECT_EQ(report.line, "a.cc:7");
  ASSERT_FALSE(report.stacks.empty());
  EXPECT_GT(report.stacks[0].frames.size(), 2u);
  EXPECT_CONTAINS(monitor::place_of_frame(report, report.stacks[0].frames.back()).path, "/");
}

struct Deadly {
  const char* name;
  int signal;
  std::function<void()> end;
  std::string said;  // by doctor
};

// Reads a page of a file that was cut under its map.
void read_what_was_cut() {
  std::FILE* file = std::tmpfile();
  constexpr size_t bytes = 4096;
  [[maybe_unused]] const int grown = ftruncate(fileno(file), bytes);
  const auto* map = static_cast<const volatile char*>(
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fileno(file), 0));
  [[maybe_unused]] const int cut = ftruncate(fileno(file), 0);
  [[maybe_unused]] const char read = map[0];
}

// By a process that outlives this one a little.
void be_sent(int number) {
  const pid_t victim = getpid();
  if (fork() > 0) pause();
  kill(victim, number);
  while (getppid() == victim) usleep(1000);
  _exit(0);
}

TEST_F(Crash, SignalsLeaveAFile) {
  static volatile int* nowhere = nullptr;
  static volatile int zero = 0, seven = 7;
  const std::string sent = str("of user ", getuid(), " sent it ");
  const std::vector<Deadly> cases{
      {"memory", SIGSEGV, [] { *nowhere = 1; },
       "it touched memory that is not its own (SIGSEGV at 0x0)"},
      {"pointer", SIGSEGV, [] { *reinterpret_cast<volatile int*>(0x8000000000000000) = 1; },
       "it touched memory that is not its own (SIGSEGV at an address that no pointer can have)"},
      {"abort", SIGABRT, [] { std::abort(); }, "abort() was called (SIGABRT"},
#ifdef __x86_64__  // others give 0
      {"division", SIGFPE, [] { zero = seven / zero; }, "divided by zero (SIGFPE)"},
#endif
      {"bus", SIGBUS, read_what_was_cut, "anything under it (SIGBUS at 0x"},
      {"instruction", SIGILL, [] { __builtin_trap(); }, "does not know an instruction (SIGILL)"},
      {"quit", SIGQUIT, [] { be_sent(SIGQUIT); }, sent + "SIGQUIT"},
      {"sent memory", SIGSEGV, [] { be_sent(SIGSEGV); }, sent + "SIGSEGV"},
      {"sent abort", SIGABRT, [] { be_sent(SIGABRT); }, sent + "SIGABRT"},
      {"sent division", SIGFPE, [] { be_sent(SIGFPE); }, sent + "SIGFPE"},
      {"raised", SIGBUS, [] { std::raise(SIGBUS); }, "it sent itself SIGBUS, by raise() or kill()"},
  };
  for (const Deadly& one : cases) {
    if (is_sanitized && one.signal != SIGABRT && one.signal != SIGQUIT) continue;  // they take it
    SCOPED_TRACE(one.name);
    const int status = killed_by(one.end);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == one.signal) << status;
    const CrashReport found = report();
    EXPECT_EQ(found.cause, CrashCause::signal);
    EXPECT_EQ(found.signal, one.signal);
    expect_what_the_run_told(found);
    expect_where_it_was(found);
    expect_parts(monitor::explain(found, false),
                 {one.said, "dot [32,784] x [784,128] f32 in convnet/dense, at a.cc:7",
                  "2 steps done, in epoch 2 of 5", "0.5 in step 0, 0.375 in step 1"});
    std::filesystem::remove(files().front());
  }
}

TEST_F(Crash, AllThreadsAreShown) {
  killed_by([] {
    std::thread waits([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
    std::thread fails([] { std::abort(); });
    fails.join();
  });
  const CrashReport found = report();
  EXPECT_EQ(found.threads, 3);
  ASSERT_EQ(found.stacks.size(), 3u);
  for (const auto& thread : found.stacks) EXPECT_GT(thread.frames.size(), 1u) << thread.name;
}

TEST_F(Crash, AnExceptionInAWorkerLeavesAFile) {
  const int status = killed_by([] {
    std::thread worker(
        [] { throw std::runtime_error("no sample at https://me:pw@host/x?sig=abc"); });
    worker.join();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  const CrashReport found = report();
  EXPECT_EQ(found.cause, CrashCause::terminate);
  EXPECT_EQ(found.error, "no sample at https://...@host/x?...");
  expect_what_the_run_told(found);
  EXPECT_CONTAINS(monitor::explain(found, false),
                  "an exception that nobody caught ended it: no sample");
}

TEST_F(Crash, AnAllocationThatFailsLeavesAFile) {
  killed_by([] {
    std::thread worker([] { throw std::bad_alloc(); });
    worker.join();
  });
  const CrashReport found = report();
  EXPECT_EQ(found.cause, CrashCause::terminate);
  EXPECT_CONTAINS(found.error, "bad_alloc");
  EXPECT_CONTAINS(monitor::explain(found, false), "use a smaller batch or model");
}

TEST_F(Crash, WhereLittleMemoryWasLeftTheSystemsKillerIsLikely) {
  killed_by([] { std::raise(SIGKILL); });
  CrashReport found = report();
  ASSERT_EQ(found.memory.size(), 1u);
  EXPECT_GT(found.memory[0].host.limit, found.memory[0].host.left);
  const int64_t limit = found.memory[0].host.limit = int64_t{8} << 30;
  found.memory[0].host.left = limit / 2;
  EXPECT_CONTAINS(monitor::explain(found, false), "4.00 GB of 8.00 GB were left on the host");
  EXPECT_CONTAINS(monitor::explain(found, false), "where memory grew");
  found.memory[0].host.left = limit / 100;
  EXPECT_CONTAINS(monitor::explain(found, false), "little memory was left");
}

// Neither the environment, nor arguments, nor what errors and events quote.
TEST_F(Crash, NothingSecretIsInTheFile) {
  constexpr const char* secret = "s3cr3tvalue";
  killed_by([&] {
    setenv("WANDB_API_KEY", secret, 1);
    publish(events::Notice{{.text = str("read https://host/x?token=", secret)}});
    publish(events::Recompilation{.program = "step", .reason = str("password: ", secret)});
    std::thread worker([&] { throw std::runtime_error(str("401 for Bearer ", secret)); });
    worker.join();
  });
  ASSERT_EQ(files().size(), 1u);
  std::ifstream file(files().front());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_CONTAINS(text, "401 for Bearer ...");
  EXPECT_CONTAINS(text, "read https://host/x?...");
  EXPECT_CONTAINS(text, "password: ...");
  EXPECT_EQ(text.find(secret), std::string::npos);
  EXPECT_EQ(text.find("WANDB"), std::string::npos);
  struct stat facts {};
  ASSERT_EQ(stat(files().front().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);  // nobody else reads it
}

TEST_F(Crash, ASigkillLeavesWhatWasWrittenLast) {
  const int status = killed_by([] { std::raise(SIGKILL); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  const CrashReport found = report();
  EXPECT_EQ(found.cause, CrashCause::unknown);
  expect_what_the_run_told(found);
  EXPECT_CONTAINS(monitor::explain(found, false), "it was ended from outside (SIGKILL");
  EXPECT_CONTAINS(monitor::explain(found, true), "it still runs");
}

TEST_F(Crash, AFailureAfterTheFirstStepLeavesAFile) {
  const CaughtLog log;
  const auto watch = std::make_shared<CrashWatch>(folder_);
  EventStream stream;
  stream.add(watch);
  stream.publish(events::RunBegin{.name = "convnet"});
  stream.publish(events::StepEnd{.samples = 32});
  stream.publish(events::Notice{{.text = "a line"}});
  stream.publish(events::Failure{
      "step 17 of train_step: this machine has no memory left\n  hint: use a smaller batch"});
  const CrashReport found = report();
  EXPECT_EQ(found.cause, CrashCause::exception);
  EXPECT_EQ(found.steps, 1);
  ASSERT_EQ(found.events.size(), 1u);
  EXPECT_CONTAINS(found.events[0], "notice a line");
  expect_parts(
      monitor::explain(found, false),
      {"an exception ended the run: step 17 of train_step: this machine has no memory left",
       "use a smaller batch or model"});
  EXPECT_CONTAINS(log.lines(), "systolic doctor " + files().front());
}

TEST_F(Crash, ARunThatEndsInOrderOrNeverBeganLeavesNone) {
  run_until(folder_, [&] { EXPECT_EQ(files().size(), 1u); });  // while it lasts
  EXPECT_TRUE(files().empty());
  EventStream stream;
  stream.add(std::make_shared<CrashWatch>(folder_));
  stream.publish(events::RunBegin{});
  stream.publish(events::Failure{"input has 3 axes, expected 4"});
  EXPECT_TRUE(files().empty());
}

TEST_F(Crash, AForkedProcessTakesNothingWithIt) {
  run_until(folder_, [&] {
    const pid_t child = fork();
    if (child == 0) std::exit(0);  // with what stands at its end
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(files().size(), 1u);
  });
}

TEST_F(Crash, AFolderThatCannotBeMadeIsOneWarning) {
  const CaughtLog log;
  std::ofstream(folder_ + "/file") << "x";
  run_until(folder_ + "/file/below", [] {});
  EXPECT_CONTAINS(log.warnings(), "A run that dies will leave no file: cannot make the folder");
}

TEST_F(Crash, OnlyTheNewestFilesStay) {
  for (int i = 0; i < 30; ++i) {
    std::ofstream(str(folder_, "/old_", i, "_1.crash")) << monitor::crash_file_begin << "\n";
  }
  run_until(folder_, [&] { EXPECT_EQ(files().size(), 20u); });
}

TEST_F(Crash, FilesOfOthersAndDamagedOnesAreRefusedOrReadInPart) {
  const std::string path = folder_ + "/x.crash";
  EXPECT_THROW(monitor::read_crash_file(path), NotFound);
  for (const std::string& text : {std::string("hello"), std::string(), std::string(100, '\0')}) {
    std::ofstream(path) << text;
    EXPECT_THROW(monitor::read_crash_file(path), DataLoss);
  }
  std::ofstream(path)
      << monitor::crash_file_begin
      << "\nstep\nstep x at y\nmemory\nframe 0x12\nmodule\nmodule -\nsignal 99999999999999999999\n"
         "process -5 start\ncause \x1b[2J\nerror \x1b]0;title\x07\nthread\nframe zz\n"
      << std::string(5000, 'x');
  const CrashReport found = monitor::read_crash_file(path);
  EXPECT_EQ(found.last_steps.size(), 2u);
  const std::string text = monitor::explain(found, false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// Wherever it is cut, what is missing is said, and the rest is told.
TEST_F(Crash, AFileThatWasCutSaysWhatIsMissing) {
  killed_by([] { std::abort(); });
  ASSERT_EQ(files().size(), 1u);
  const std::string path = files().front();
  EXPECT_EQ(report().missing, "");
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const struct {
    const char* before;
    std::string missing;
  } cases[] = {{"\nprocess ", "what run it was, 2 of 2 last steps, 1 of 1 readings of memory"},
               {"\nstep 1 ", "1 of 2 last steps, 1 of 1 readings of memory"},
               {"\nmemory ", "1 of 1 readings of memory, 1 of 1 stacks"},
               {"\nthreads ", "1 of 1 stacks"},
               {"\nmodule ", "some of what the program had loaded"},
               {"\nend\n", "some of what the program had loaded"}};
  for (const auto& one : cases) {
    const size_t at = text.find(one.before);
    ASSERT_NE(at, text.npos) << one.before;
    for (const size_t more : {size_t{1}, size_t{3}}) {  // within a line, too
      std::ofstream(path) << text.substr(0, at + more);
      EXPECT_EQ(report().missing.find(one.missing), 0u) << report().missing;
      EXPECT_CONTAINS(monitor::explain(report(), false), "damaged   the file lacks ");
    }
  }
  // Files of version 1 said neither what they hold nor where they end.
  std::ofstream(path) << monitor::old_crash_file_begin << "\nprocess 7 start 8\n";
  EXPECT_EQ(report().missing, "");
}

__attribute__((noinline)) void named_function_of_this_test() { std::abort(); }

TEST_F(Crash, StacksHaveNames) {
  killed_by(named_function_of_this_test);
  const std::string text = monitor::explain(report(), false);
  EXPECT_CONTAINS(text, str(program_invocation_short_name, "+0x"));
  EXPECT_CONTAINS(text, " systolic::named_function_of_this_test\n");
  EXPECT_EQ(text.find("on_deadly_signal"), std::string::npos) << text;  // it is not of the run
  CrashReport another = report();
  for (auto& module : another.modules) module.build_id = "00";
  EXPECT_EQ(monitor::explain(another, false).find("named_function_of"), std::string::npos);
  EXPECT_CONTAINS(monitor::explain(another, false), "is another build now than the run's");
}

#ifdef __x86_64__
// The unwinder stops at code that was generated while the program ran; who called it is looked for.
__attribute__((noinline)) void calls_generated_code() {
  constexpr size_t bytes = 4096;
  void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // push rax, three times; ud2
  constexpr unsigned char code[] = {0x50, 0x50, 0x50, 0x0F, 0x0B};
  std::memcpy(page, code, sizeof code);
  mprotect(page, bytes, PROT_READ | PROT_EXEC);
  reinterpret_cast<void (*)()>(page)();
  std::abort();
}

TEST_F(Crash, WhoCalledGeneratedCodeIsFound) {
  if (is_sanitized) GTEST_SKIP() << "it takes the signal";
  killed_by(calls_generated_code);
  const std::string text = monitor::explain(report(), false);
  EXPECT_CONTAINS(text, " code that was generated while it ran, for dot [32,784] x [784,128] f32");
  EXPECT_CONTAINS(text, str("perhaps ", program_invocation_short_name, "+0x"));
  EXPECT_CONTAINS(text, " systolic::calls_generated_code\n");
}
#endif

TEST_F(Crash, AFullDiskIsOneWarning) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const CaughtLog log;
  run_until("/dev/full", [] {});
  EXPECT_CONTAINS(log.warnings(), "A run that dies will leave no file");
  const monitor::CrashRecord record;
  const int full = ::open("/dev/full", O_WRONLY);
  EXPECT_FALSE(monitor::write_record(full, record));
  close(full);
}

TEST(SafeText, WritesNumbersAsTheyAre) {
  std::FILE* file = std::tmpfile();
  const int number = fileno(file);
  {
    monitor::SafeText text(number);
    text << int64_t{0} << " " << std::numeric_limits<int64_t>::min() << " " << 1.5 << " " << -0.4375
         << " " << 1e300 << " " << 9.9999999 << " " << 0.0 << " " << std::nan("") << " " << HUGE_VAL
         << " ";
    text.hexadecimal(0).end_line().hexadecimal(0xDEADBEEFULL) << " a\nb";
    text.time(1790000000.0625) << std::string(5000, 'x');
  }
  std::string read(6000, '\0');
  read.resize(static_cast<size_t>(pread(number, read.data(), read.size(), 0)));
  EXPECT_EQ(
      read,
      "0 -9223372036854775808 1.5 -4.375e-1 1e300 1e1 0 nan inf 0x0\n0xdeadbeef a b1790000000.062" +
          std::string(5000, 'x'));
  std::fclose(file);
}

TEST(HideSecrets, LeavesWhatIsNone) {
  using monitor::hide_secrets;
  EXPECT_EQ(hide_secrets("gs://bucket/a/b.tfrecord is missing"),
            "gs://bucket/a/b.tfrecord is missing");
  EXPECT_EQ(hide_secrets("'https://u:p@h/x?sig=1&b=2', then more"),
            "'https://...@h/x?...', then more");
  EXPECT_EQ(hide_secrets("Authorization: bearer ya29.abc, api_KEY=12 x"),
            "Authorization: bearer ..., api_KEY=... x");
  EXPECT_EQ(hide_secrets("what?"), "what?");
  EXPECT_EQ(hide_secrets(R"({"token": "abc", "other": 'x', "secret":"s"} PASSWORD: pw, end)"),
            R"({"token": "...", "other": 'x', "secret":"..."} PASSWORD: ..., end)");
  EXPECT_EQ(hide_secrets("no key: 'dense/kernel' and no token 7; basic dXNlcjpwdw== hf_abcDEF"),
            "no key: 'dense/kernel' and no token 7; basic ... hf_...");
  EXPECT_EQ(hide_secrets("AWS_SECRET_ACCESS_KEY=a/b+c token="), "AWS_SECRET_ACCESS_KEY=... token=");
}

}  // namespace
}  // namespace systolic
