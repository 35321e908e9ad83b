// What it costs to watch a run: steps of Model::fit on the MLP 784-128-10 or the MNIST convnet,
// with the sinks that --sinks turns on, a profile of all steps, or readers of the run's page, and
// without. Rounds of one fit of each kind take turns in one process, since a processor's speed
// changes more between two processes than the sinks cost. A step's time is that of all steps over
// their number, so that what other threads do meanwhile counts too; what is written once at the
// epoch's end is counted apart.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/convnet.h"
#include "benchmarks/measure.h"
#include "systolic/base/process/process.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

constexpr int64_t warm_up = 20;  // steps of each fit

struct Arguments {
  std::string network = "mlp";
  int64_t steps = 500;
  int64_t rounds = 31;
  bool sinks = false;
  bool profile = false;
  int pages = 0;
  int port = 18471;
  std::string folder = "watched_step";
};

Model mlp() {
  return Sequential(
      {Input{.shape = {784}}, Dense{.units = 128, .activation = "relu"}, Dense{.units = 10}});
}

data::Dataset batches_of(const Arguments& arguments) {
  if (arguments.network == "mlp")
    return data::from_tensor_slices(random_digits({64 * 32, 784})).batch(32).cache().repeat();
  return data::from_tensors(random_digits({200, 28, 28, 1})).repeat();
}

int connected(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      return socket;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error("the run's page does not answer");
}

// A page that is open, as a browser reads it: live events, all that comes. The first of several
// reads a byte a second.
void read_page(const std::stop_token& stop, int port, bool slowly) {
  const int socket = connected(port);
  const std::string request = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                              "\r\nAccept: text/event-stream\r\n\r\n";
  const timeval limit{.tv_sec = 0, .tv_usec = 200000};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
  std::array<char, 65536> bytes;
  while (!stop.stop_requested()) {
    const ssize_t got = ::recv(socket, bytes.data(), slowly ? 1 : bytes.size(), 0);
    if (got == 0) break;  // it was dropped
    if (slowly) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  ::close(socket);
}

std::vector<std::jthread> open_pages(const Arguments& arguments) {
  std::vector<std::jthread> pages;
  for (int page = 0; page < arguments.pages; ++page)
    pages.emplace_back(read_page, arguments.port, page == 0);
  return pages;
}

FitOptions watched(const Arguments& arguments) {
  FitOptions options;
  const std::string folder = arguments.folder;
  if (arguments.sinks) {
    options.callbacks = {CSVLogger{.filename = folder + "/log.csv"},
                         TensorBoard{.log_dir = folder + "/logs", .histogram_freq = 1}};
    options.verbose = 1;
  }
  if (arguments.sinks || arguments.pages > 0)
    options.monitor = ":" + std::to_string(arguments.port);
  // Its last step does not come: the file is written when fit ends, and that does not count.
  if (arguments.profile)
    options.profile = {.steps = {warm_up + 1, arguments.steps + 1}, .folder = folder + "/profile"};
  return options;
}

struct Times {
  double step_ms = 0;       // from the end of the warm-up to the last step's end, over the steps
  double epoch_end_ms = 0;  // what comes after: the epoch's scalars and histograms
};

Times measure(Model& model, const data::Dataset& batches, const Arguments& arguments,
              bool is_watched) {
  FitOptions options = is_watched ? watched(arguments) : FitOptions{};
  options.epochs = 1;
  options.steps_per_epoch = arguments.steps;
  if (options.callbacks.empty()) options.verbose = 0;
  std::vector<std::jthread> pages;
  double start = 0, last = 0, end = 0;
  const auto begin = [&] {
    if (is_watched) pages = open_pages(arguments);
  };
  const auto end_batch = [&](int64_t step, const Logs&) {
    if (step == warm_up) start = milliseconds_since_start();
    if (step == arguments.steps - 1) last = milliseconds_since_start();
  };
  const auto end_epoch = [&](int, const Logs&) { end = milliseconds_since_start(); };
  options.callbacks.push_back(LambdaCallback(
      {.on_train_begin = begin, .on_epoch_end = end_epoch, .on_train_batch_end = end_batch}));
  model.fit(batches, options);
  for (std::jthread& page : pages) page.request_stop();
  return {.step_ms = (last - start) / static_cast<double>(arguments.steps - warm_up - 1),
          .epoch_end_ms = end - last};
}

void run(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.folder);
  const TPUClusterResolver resolver;
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([&] {
    Model made = arguments.network == "mlp" ? mlp() : convnet(32);
    made.compile({.optimizer = Adam{},
                  .loss = SparseCategoricalCrossentropy{.from_logits = true},
                  .metrics = {"sparse_categorical_accuracy"}});
    return made;
  });
  const data::Dataset batches = batches_of(arguments);
  std::vector<double> plain, with, ratios, epoch_ends;
  for (int64_t round = 0; round < arguments.rounds; ++round) {
    Times times[2];
    for (const bool second : {false, true}) {
      const bool is_watched = second == (round % 2 == 0);
      times[is_watched] = measure(model, batches, arguments, is_watched);
    }
    plain.push_back(times[0].step_ms);
    with.push_back(times[1].step_ms);
    ratios.push_back(times[1].step_ms / times[0].step_ms);
    epoch_ends.push_back(times[1].epoch_end_ms - times[0].epoch_end_ms);
  }
  const nlohmann::json result = {{"work", arguments.network},
                                 {"who", "systolic"},
                                 {"ms_per_step", median(plain)},
                                 {"watched_ms_per_step", median(with)},
                                 {"watched_over_plain", median(ratios)},
                                 {"epoch_end_ms", median(epoch_ends)},
                                 {"peak_memory_bytes", peak_memory_bytes()}};
  std::cout << result.dump() << std::endl;
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures what watching a run costs.");
  systolic::Arguments arguments;
  app.add_option("--network", arguments.network, "mlp or convnet")
      ->check(CLI::IsMember({"mlp", "convnet"}))
      ->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps of a fit")
      ->check(CLI::Range(50, 100000))
      ->capture_default_str();
  app.add_option("--rounds", arguments.rounds, "pairs of fits")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--sinks", arguments.sinks,
               "a page, TensorBoard with histograms, CSV and the progress bar");
  app.add_flag("--profile", arguments.profile, "record the steps that count");
  app.add_option("--pages", arguments.pages, "this many readers of the run's page")
      ->capture_default_str();
  app.add_option("--port", arguments.port, "where the page is shown")->capture_default_str();
  app.add_option("--folder", arguments.folder, "where files are written")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
