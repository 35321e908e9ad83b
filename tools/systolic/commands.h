// The commands of the tool. Each prints to `out` and throws what it cannot do; the result is the
// exit code.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/plan/request.h"
#include "systolic/runtime/tpu_compiler.h"

namespace tool {

// An option's value that no file could make right: exit code 2.
struct WrongUsage : systolic::InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

// The TPUs that programs can ask for, with what one core has.
int list_tpus(std::ostream& out);

// The arrays of a .safetensors, .npz or .npy file: name, type, shape, bytes.
int list_arrays(const std::string& file, std::ostream& out);

struct RunOptions {
  std::string file;
  std::vector<std::string> inputs;  // run_inputs.h; arguments without one are zeros
  std::string output;               // .npz for the results; "": none
  std::string backend;              // runtime::ClientOptions::backend; "": the best that opens
  std::string tpu;                  // kind of the software TPU
  int repeat = 1;
};
// Runs a StableHLO program: its results, and how long it took. A per-core program's results have a
// leading axis of cores.
int run_program(const RunOptions& options, std::ostream& out);

// Compiles a StableHLO file with a TPU's own compiler, no TPU needed: what a core's memory holds,
// and how much work a run is.
int compile(const std::string& file, const systolic::runtime::TpuCompileOptions& options,
            std::ostream& out);

struct PlanOptions {
  std::string file;
  systolic::plan::Request request;
  int64_t batch = 128;  // of a core, for a file that leaves it open
  std::optional<std::string> processes = {}, network = {};  // as given
  bool json = false;
};
// What a StableHLO program needs of a TPU core, what bounds it, and the largest batch that fits
// where the file leaves the batch open ("?" as the first axis of arguments). 1: it does not fit.
int plan_file(const PlanOptions& options, std::ostream& out);

// What a model's file holds: layers, shapes, sizes, optimizer, who wrote it; of weights alone the
// arrays.
int show_model_file(const std::string& file, bool json, std::ostream& out);

struct ConvertOptions {
  std::string from, to;
  std::string model;  // a file of the model that weights alone are of; "": none
};
// Reads a model or weights and writes them in the form that the ending of `to` names.
int convert_model(const ConvertOptions& options, std::ostream& out);

struct PredictFileOptions {
  std::string model, input;
  std::string output;    // .npz or .csv; "": none
  bool csv = false;      // prints the predictions
  double divide_by = 1;  // numbers of pictures
};
// What a model says of arrays, pictures, a table or texts (predict/rows.h): arrays by the outputs'
// names, or CSV.
int predict_with_model(const PredictFileOptions& options, std::ostream& out);

struct ServeOptions {
  std::string host = "127.0.0.1";
  int port = 8470;
  std::string token_file, certificate_file, key_file;  // "": none
  std::string tpu;                                     // kind of the software TPU
  int cores = 0;                                       // of it; 0: all
};
// Serves the device of this machine to programs elsewhere, until it is stopped.
int serve(const ServeOptions& options, std::ostream& out);

// The devices that open here, of every PJRT plugin that is found, and the software TPU.
int list_devices(std::ostream& out);

// What is here and what is wrong with it: the TPU, plugins with their versions, the variables that
// matter, who holds the TPU. 1 where the TPU, or a plugin that was found, cannot be used.
int doctor(std::ostream& out);

// What is known of a run that died, from the file that it left.
int explain_crash(const std::string& file, std::ostream& out);
// The files of such runs.
void list_crashes(std::ostream& out);

struct MonitorOptions {
  std::string what;   // a process, or the address of a run's page; "": this user's newest run
  bool once = false;  // print what it is now, and end
  std::string web;    // serve a page at this address instead
  std::string logs;   // a logs folder whose runs the page compares; without a run, only these
};
// A run of another process of this user's, or one that shows itself on a page: on a terminal a
// screen that is drawn each second, else a line each ten, until the process ends. 1: the run failed
// or was killed.
int monitor(const MonitorOptions& options, std::ostream& out);

struct ProfileCommandOptions {
  std::string what;  // a process, or a file or folder of an earlier profile; "": the newest run
  double seconds = 3;
  std::string folder = "logs";
  double below = 25;              // percent of the limits that follow
  double gflops = 0, gbytes = 0;  // of the processor, a second; 0: the layers' table
};
// What takes the time of a run, layer by layer: recorded from a process now, and written for
// Perfetto and TensorBoard, or read from a file.
int profile(const ProfileCommandOptions& options, std::ostream& out);

}  // namespace tool
