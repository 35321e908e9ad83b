// systolic: looks at, checks, plans and runs what training reads, writes and runs on.
// `systolic --help` lists the commands, `systolic COMMAND --help` has examples.
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "systolic/base/error.h"
#include "systolic/base/standard_streams.h"
#include "systolic/base/text.h"
#include "systolic/cluster/pod/run_pod.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/tpu_kind.h"
#include "tools/conformance/conformance.h"
#include "tools/conformance/diagnostics.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/fine_tune/add_commands.h"
#include "tools/systolic/project/add_commands.h"
#include "tools/systolic/tfrecord/add_commands.h"

namespace {

constexpr int error_code = 1, usage_code = 2;
constexpr const char* exit_codes = R"(exit codes
  0  done, and nothing is wrong
  1  an error, which is printed; or the answer is no: a check failed, a record is damaged, a plan does not fit
  2  wrong usage
  130  Ctrl-C)";

// A command, and what it does once its options are read.
struct Command {
  CLI::App* app;
  std::function<int()> body;
};
using Commands = std::vector<Command>;

CLI::App& add(CLI::App& app, const char* name, const char* what, const char* examples) {
  return *app.add_subcommand(name, what)
              ->footer(systolic::str("examples\n", examples, "\n\n", exit_codes));
}

// Options whose text the library reads: its errors name the flag.
void add_effort(CLI::App& command, systolic::runtime::CompileEffort& effort) {
  command.add_option_function<std::string>(
      "--effort",
      [&effort](const std::string& text) { effort = systolic::plan::parse_effort(text); },
      "how hard the compiler tries: 0 (a seventh of the time) to 3, or default, which is 2");
}

// More than zero and at most a day; "nan" is not such a number either.
std::string seconds(const std::string& text) {
  constexpr double least = 0.1, most = 86'400;
  double value = 0;
  const bool fits = systolic::parse_number(text, value) && value >= least && value <= most;
  return fits ? "" : systolic::str("got ", text, ", expected ", least, " to ", most, " seconds");
}

// Raises what is wrong with it.
std::string tpu(const std::string& text) {
  systolic::parse_tpu_kind(text, {});
  return "";
}
std::string backend(const std::string& text) {
  systolic::runtime::check_backend(text);
  return "";
}

void add_compiler(CLI::App& command, std::string& topology, double& deadline,
                  std::string& library) {
  command.add_option("--topology", topology, "v2-8 to tpu7x:2x2x1; `systolic tpus` lists them")
      ->capture_default_str()
      ->check(tpu);
  command.add_option("--deadline", deadline, "seconds that a compilation may take")
      ->capture_default_str()
      ->check(seconds);
  command.add_option("--libtpu", library, "libtpu.so (default: the one that is found)");
}

void add_run(CLI::App& app, Commands& commands, tool::RunOptions& options) {
  CLI::App& command = add(app, "run", "run a StableHLO program",
                          "  systolic run step.mlir --input random --input labels.npy\n"
                          "  systolic run step.mlir --backend interpreter --output results.npz");
  command.add_option("FILE", options.file, "StableHLO as text or bytecode; -: from standard input")
      ->required();
  command.add_option("--input", options.inputs,
                     "an argument of main each, in their order: zeros (the default), ones, random, "
                     "random:SEED, FILE.npy, FILE.npz, FILE.npz:NAME");
  command.add_option("--output", options.output, "save the results as FILE.npz");
  command
      .add_option("--backend", options.backend,
                  "software_tpu, interpreter, tpu, pjrt:PATH (default: the best that opens)")
      ->check(backend);
  command.add_option("--tpu", options.tpu, "kind of the software TPU")->check(tpu);
  command.add_option("--repeat", options.repeat, "runs; the fastest is reported")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  commands.push_back({&command, [&] { return tool::run_program(options, std::cout); }});
}

void add_compile(CLI::App& app, Commands& commands, std::string& file,
                 systolic::runtime::TpuCompileOptions& options) {
  CLI::App& command = add(app, "compile", "compile a StableHLO program for a TPU, without a TPU",
                          "  systolic compile train_step.mlir\n"
                          "  systolic compile --topology v5e:2x4 --effort 2 train_step.mlir");
  command.add_option("FILE", file, "StableHLO as text or bytecode; -: from standard input")
      ->required();
  add_compiler(command, options.topology, options.deadline_seconds, options.library);
  add_effort(command, options.effort);
  commands.push_back({&command, [&] { return tool::compile(file, options, std::cout); }});
}

void add_plan(CLI::App& app, Commands& commands, tool::PlanOptions& options) {
  CLI::App& command =
      add(app, "plan", "the dry run before renting a TPU: memory, work, the largest batch",
          "  systolic plan --topology v5e:2x4 train_step.mlir\n"
          "  systolic plan --topology v6e-8 --batches 8,16,32,64,128 open_batch.mlir\n"
          "  systolic plan --json train_step.mlir\n"
          "A program of one's own plans with its own flag: ./my_train --plan v5e:2x4");
  command.add_option("FILE", options.file, "StableHLO as text or bytecode; -: from standard input")
      ->required();
  add_compiler(command, options.request.topology, options.request.deadline_seconds,
               options.request.library);
  add_effort(command, options.request.effort);
  command.add_option("--batch", options.batch, "of a core, where the file leaves it open")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  command.add_option_function<std::string>(
      "--batches",
      [&options](const std::string& text) {
        options.request.batches = systolic::plan::parse_batches(text);
      },
      "batches of a core: a table with a row for each");
  command.add_option("--processes", options.processes,
                     "that train together, each on such a slice: predicts a step");
  command.add_option("--network", options.network,
                     "between them: 25Gbit, or 25Gbit/20us a message");
  command.add_flag("--json", options.json, "JSON, sizes in bytes, times in seconds");
  commands.push_back({&command, [&] {
                        systolic::plan::set_network(options.request, options.processes,
                                                    options.network);
                        return tool::plan_file(options, std::cout);
                      }});
}

void add_conformance(CLI::App& app, Commands& commands, tool::ConformanceOptions& options) {
  CLI::App& command = add(app, "conformance", "run a folder of StableHLO's test programs",
                          "  systolic conformance stablehlo/testdata --backend cpu\n"
                          "  systolic conformance stablehlo/testdata --only convolution\n"
                          "  systolic conformance stablehlo/tests --diagnostics");
  command
      .add_option("DIR", options.folder, "a folder of .mlir and .mlirbc files, with all below it")
      ->required();
  command.add_option("--backend", options.backend, "interpreter or cpu")
      ->capture_default_str()
      ->check(CLI::IsMember({"interpreter", "cpu"}));
  command.add_option("--only", options.only, "run the files whose path holds this text");
  command
      .add_option("--deadline", options.deadline_seconds,
                  "seconds that a file may take, before it has failed")
      ->capture_default_str()
      ->check(seconds);
  command.add_flag("--diagnostics", options.diagnostics,
                   "run nothing: is refused what comments \"expected-error\" say is wrong?");
  commands.push_back({&command, [&] {
                        if (options.diagnostics) {
                          return tool::compare_diagnostics(options.folder, options.only, std::cout);
                        }
                        return tool::run_conformance(options, std::cout);
                      }});
}

void add_files(CLI::App& app, Commands& commands, std::string& file) {
  CLI::App& arrays = add(app, "arrays", "list the arrays of a .safetensors, .npz or .npy file",
                         "  systolic arrays mnist.safetensors");
  arrays.add_option("FILE", file)->required();
  commands.push_back({&arrays, [&] { return tool::list_arrays(file, std::cout); }});
  std::vector<std::pair<CLI::App*, std::function<int()>>> verbs;
  tool::tfrecord::add_commands(app, verbs);
  for (auto& [verb, body] : verbs) commands.push_back({verb, std::move(body)});
}

void add_project(CLI::App& app, Commands& commands) {
  std::vector<std::pair<CLI::App*, std::function<int()>>> verbs;
  tool::project::add_commands(app, verbs);
  tool::fine_tune::add_commands(app, verbs);
  for (auto& [verb, body] : verbs) commands.push_back({verb, std::move(body)});
}

struct ModelOptions {
  std::string shown;
  bool json = false;
  tool::ConvertOptions convert;
  tool::PredictFileOptions predict;
};

void add_predict(CLI::App& app, Commands& commands, tool::PredictFileOptions& options) {
  CLI::App& predict = add(app, "predict", "what a model says of arrays, pictures, a table or texts",
                          "  systolic predict mnist.keras digits.npz --output answers.npz\n"
                          "  systolic predict flowers.keras pictures/ --csv\n"
                          "  systolic predict prices.keras houses.csv --output prices.csv\n"
                          "  systolic predict bert-tuned/ reviews.txt --csv");
  predict
      .add_option("MODEL", options.model,
                  ".keras, .h5, a SavedModel's, exported model's or Hugging Face model's folder")
      ->required();
  predict
      .add_option("INPUT", options.input,
                  ".npz, arrays by the inputs' names; .csv, .tsv or .jsonl, columns by their names "
                  "or in their order; a picture or a folder of them; .txt, a text a line")
      ->required();
  predict.add_option("--output", options.output, ".npz, arrays by the outputs' names; or .csv");
  predict.add_flag("--csv", options.csv, "print a line for each row");
  predict
      .add_option("--divide-by", options.divide_by,
                  "pictures' numbers, 0 to 255, by this; 255: 0 to 1")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  commands.push_back({&predict, [&] { return tool::predict_with_model(options, std::cout); }});
}

void add_models(CLI::App& app, Commands& commands, ModelOptions& options) {
  CLI::App& show = add(app, "show", "what a file of a model or of weights holds",
                       "  systolic show mnist.keras\n"
                       "  systolic show mnist.h5 --json");
  show.add_option("FILE", options.shown, ".keras, .h5, .weights.h5, .safetensors or .npz")
      ->required();
  show.add_flag("--json", options.json, "JSON");
  commands.push_back(
      {&show, [&] { return tool::show_model_file(options.shown, options.json, std::cout); }});
  CLI::App& convert = add(app, "convert", "a model or weights in another form",
                          "  systolic convert mnist.h5 mnist.keras\n"
                          "  systolic convert mnist.keras mnist.safetensors\n"
                          "  systolic convert new.weights.h5 new.keras --model mnist.keras");
  convert.add_option("FROM", options.convert.from)->required();
  convert.add_option("TO", options.convert.to, "its ending names the form")->required();
  convert.add_option("--model", options.convert.model, "the model that weights alone are of");
  commands.push_back({&convert, [&] { return tool::convert_model(options.convert, std::cout); }});
  add_predict(app, commands, options.predict);
}

void add_machine(CLI::App& app, Commands& commands, std::string& crash_file) {
  CLI::App& devices = add(app, "devices", "the devices that open here", "  systolic devices");
  commands.push_back({&devices, [] { return tool::list_devices(std::cout); }});
  CLI::App& doctor =
      add(app, "doctor", "what is here to run on and what is wrong with it, or why a run died",
          "  systolic doctor\n"
          "  TPU_LIBRARY_PATH=/opt/libtpu.so systolic doctor\n"
          "  systolic doctor ~/.local/state/systolic/mnist_4711_1.crash");
  doctor.add_option("FILE", crash_file, "what a run that died has left");
  commands.push_back({&doctor, [&] {
                        return crash_file.empty() ? tool::doctor(std::cout)
                                                  : tool::explain_crash(crash_file, std::cout);
                      }});
  CLI::App& tpus = add(app, "tpus", "the TPUs that programs can ask for", "  systolic tpus");
  commands.push_back({&tpus, [] { return tool::list_tpus(std::cout); }});
}

void add_serve(CLI::App& app, Commands& commands, tool::ServeOptions& options) {
  CLI::App& command = add(
      app, "serve", "serve this machine's device to programs elsewhere",
      "  systolic serve\n"
      "  systolic serve --host 0.0.0.0 --token-file token --certificate cert.pem --key key.pem\n"
      "programs name it: TPUClusterResolver(\"grpc://10.0.0.2:8470\"), mnist --tpu "
      "grpc://10.0.0.2:8470");
  command.add_option("--port", options.port, "0: a free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  command
      .add_option("--host", options.host,
                  "address to listen on; others than this machine need a "
                  "token and TLS")
      ->capture_default_str();
  command.add_option("--token-file", options.token_file,
                     "a secret that programs must know: SYSTOLIC_TOKEN_FILE there");
  command.add_option("--certificate", options.certificate_file, "PEM, for TLS");
  command.add_option("--key", options.key_file, "the certificate's");
  command.add_option("--tpu", options.tpu, "kind of the software TPU")->check(tpu);
  command.add_option("--cores", options.cores, "of the software TPU; 0: all")
      ->capture_default_str();
  commands.push_back({&command, [&] { return tool::serve(options, std::cout); }});
}

// `systolic pod run -n 4 -- ./mnist --batch 256`: what stands after -- is the program's.
void add_pod(CLI::App& app, Commands& commands, systolic::cluster::PodOptions& options) {
  CLI::App& pod = *app.add_subcommand("pod", "runs of several processes");
  pod.require_subcommand(1);
  CLI::App& run = add(pod, "run", "start a program several times, as the processes of one run",
                      "  systolic pod run -n 4 -- ./mnist --batch 256\n"
                      "  systolic pod run -n 4 --restarts 3 --min 2 -- ./train");
  run.add_option("-n,--processes", options.processes, "how many")->required();
  run.add_option("--restarts", options.restarts, "start all again so often where one fails")
      ->check(CLI::Range(0, 1'000'000));
  run.add_option("--min", options.min_processes,
                 "at each restart leave out who failed, down to so many processes")
      ->check(CLI::Range(1, 1024));
  run.add_option("--grace", options.grace_seconds,
                 "seconds in which the others may end after one has failed")
      ->capture_default_str()
      ->check(seconds);
  run.add_option("PROGRAM", options.command, "the program and its arguments")->required();
  run.positionals_at_end();
  commands.push_back(
      {&run, [&] { return systolic::cluster::run_pod(options, std::cout, std::cerr); }});
}

// The number of a process, or what has the colon of an address.
std::string process_or_address(const std::string& text) {
  int64_t process = 0;
  if (systolic::parse_number(text, process) ? process > 0 : text.find(':') != text.npos) return "";
  return systolic::str("got ", text, ", expected the number of a process, or HOST:PORT");
}

void add_monitor(CLI::App& app, Commands& commands, tool::MonitorOptions& options) {
  CLI::App& command =
      add(app, "monitor", "a run of training, live: matrix unit, busy and idle time, memory, loss",
          "  systolic monitor\n"
          "  systolic monitor 4711\n"
          "  systolic monitor \"http://10.0.0.5:8080/?token=4f61...\"\n"
          "  systolic monitor --once\n"
          "  systolic monitor --web :8080\n"
          "  systolic monitor --logs logs --web :8080");
  command
      .add_option("PID|ADDRESS", options.what,
                  "the process to watch, or the address of a run's page, with its token where it "
                  "has one; default: this user's newest run")
      ->check(process_or_address);
  command.add_option("--web", options.web, "serve a page that shows it: :8080, 127.0.0.1:8080");
  command.add_option("--logs", options.logs,
                     "a folder of TensorBoard logs, whose runs the page compares");
  command.add_flag("--once", options.once, "print what it is now, and end");
  commands.push_back({&command, [&] { return tool::monitor(options, std::cout); }});
}

void add_profile(CLI::App& app, Commands& commands, tool::ProfileCommandOptions& options) {
  CLI::App& command = add(
      app, "profile", "what takes the time of a run: ops by layer and line, waits, input stages",
      "  systolic profile\n"
      "  systolic profile 4711 --seconds 3 --folder logs\n"
      "  systolic profile logs\n"
      "  systolic profile logs --gflops 230 --gbytes 40 --below 25\n"
      "  systolic profile logs/plugins/profile/2026_11_29_20_30_00/host.xplane.pb");
  command.add_option("WHAT", options.what,
                     "a process to record now (default: the newest run), or a profile: an "
                     ".xplane.pb, or a folder, of which the newest counts");
  command.add_option("--seconds", options.seconds, "how long to record")
      ->capture_default_str()
      ->check(seconds);
  command.add_option("--folder", options.folder, "where what is recorded is written")
      ->capture_default_str();
  CLI::Option* gflops =
      command.add_option("--gflops", options.gflops,
                         "10^9 operations a second that the processor can do: with "
                         "--gbytes, which ops are far from what it can do, and why");
  CLI::Option* gbytes =
      command.add_option("--gbytes", options.gbytes, "10^9 bytes a second of its memory");
  gflops->check(CLI::PositiveNumber)->needs(gbytes);
  gbytes->check(CLI::PositiveNumber)->needs(gflops);
  command.add_option("--below", options.below, "percent of its limit under which an op is listed")
      ->capture_default_str()
      ->needs(gflops);
  commands.push_back({&command, [&] { return tool::profile(options, std::cout); }});
}

// What to say where a word is not the name of a command: "systolic foo", "systolic tfrecord foo".
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const auto any = [](const CLI::App*) { return true; };
  const CLI::App* level = &app;
  std::string path;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::vector<const CLI::App*> commands = level->get_subcommands(any);
    if (commands.empty()) return "";
    path += (path.empty() ? "" : " ") + std::string(argv[i]);
    std::string names;
    const CLI::App* found = nullptr;
    for (const CLI::App* command : commands) {
      names += (names.empty() ? "" : ", ") + command->get_name();
      if (command->get_name() == argv[i]) found = command;
    }
    if (found == nullptr) return "there is no command '" + path + "', only " + names;
    level = found;
  }
  return "";
}

// The message without a line of this source tree, which says nothing to someone who types commands.
void print(const systolic::Error& error) {
  constexpr std::string_view here = __FILE__;
  constexpr std::string_view root =
      here.substr(0, here.size() - std::string_view("tools/systolic/main.cc").size());
  systolic::ErrorReport report = error.report();
  const std::string_view file = report.location.file;
  for (const char* folder : {"tools/", "systolic/", "backends/"}) {
    if (file.rfind(std::string(root) + folder, 0) == 0) report.location = {};
  }
  std::cerr << error.kind() << ": " << systolic::Error(error.kind(), std::move(report)).what()
            << "\n";
}

int run(int argc, char** argv) {
  CLI::App app("Looks at, checks, plans and runs what Systolic trains with", "systolic");
  app.require_subcommand(1);
  app.footer(std::string("examples\n  systolic run step.mlir --input random\n"
                         "  systolic plan --topology v5e:2x4 step.mlir\n"
                         "  systolic doctor\n`systolic COMMAND --help` has more.\n\n") +
             exit_codes);
  Commands commands;
  tool::ServeOptions serve_options;
  add_serve(app, commands, serve_options);
  systolic::cluster::PodOptions pod_options;
  add_pod(app, commands, pod_options);
  tool::RunOptions run_options;
  add_run(app, commands, run_options);
  std::string compile_file;
  systolic::runtime::TpuCompileOptions compile_options;
  add_compile(app, commands, compile_file, compile_options);
  tool::PlanOptions plan_options;
  add_plan(app, commands, plan_options);
  tool::ConformanceOptions conformance_options;
  add_conformance(app, commands, conformance_options);
  std::string arrays_file;
  add_files(app, commands, arrays_file);
  std::string crash_file;
  ModelOptions model_options;
  add_models(app, commands, model_options);
  add_machine(app, commands, crash_file);
  add_project(app, commands);
  tool::MonitorOptions monitor_options;
  add_monitor(app, commands, monitor_options);
  tool::ProfileCommandOptions profile_options;
  add_profile(app, commands, profile_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_command(app, argc, argv);
    if (unknown.empty()) return app.exit(error) == 0 ? 0 : usage_code;
    std::cerr << "systolic: " << unknown << "\n";
    return usage_code;
  } catch (const systolic::Error& error) {
    print(error);
    return usage_code;
  }
  for (const Command& command : commands) {
    if (*command.app) return command.body();
  }
  return usage_code;
}

}  // namespace

int main(int argc, char** argv) {
  systolic::open_standard_streams();
  try {
    const int code = run(argc, argv);
    if (std::cout.flush()) return code;
    std::cerr << "systolic: standard output takes no more; what it printed is not whole\n";
  } catch (const tool::WrongUsage& error) {
    print(error);
    return usage_code;
  } catch (const systolic::Error& error) {
    print(error);
  } catch (const std::exception& error) {
    std::cerr << "systolic: " << error.what() << "\n";
  }
  return error_code;
}
