#include "tools/systolic/project/add_commands.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "systolic/runtime/tpu_kind.h"
#include "tools/systolic/project/new_project.h"
#include "tools/systolic/project/tpu_vm.h"

namespace tool::project {
namespace {

using Commands = std::vector<std::pair<CLI::App*, std::function<int()>>>;

struct TpuOptions {
  TpuVm vm;
  std::vector<std::string> program;
};
using Lines = std::vector<std::string> (*)(const TpuOptions&);

CLI::App& verb(CLI::App& app, const char* name, const char* what, const char* examples) {
  return *app.add_subcommand(name, what)->footer(std::string("examples\n") + examples);
}

void add_verb(CLI::App& command, Commands& commands, const std::shared_ptr<TpuOptions>& options,
              Lines lines) {
  command.add_option("NAME", options->vm.name, "of the TPU VM")->capture_default_str();
  command.add_option("--zone", options->vm.zone, "of Google Cloud")->capture_default_str();
  command.add_flag("--yes", options->vm.yes, "run the lines that are printed");
  commands.emplace_back(&command, [options, lines] {
    return say_or_run(lines(*options), options->vm.yes, std::cout);
  });
}

std::string accelerator(const std::string& text) {
  systolic::parse_tpu_kind(text, {});
  return "";
}

void add_tpu(CLI::App& app, Commands& commands) {
  const auto options = std::make_shared<TpuOptions>();
  CLI::App& tpu = *app.add_subcommand("tpu", "gcloud's lines for a Cloud TPU VM; --yes runs them");
  tpu.require_subcommand(1);
  CLI::App& create =
      verb(tpu, "create", "make a TPU VM, and bring the tarball of ./run package",
           "  systolic tpu create my-tpu --type v5litepod-8 --zone us-west4-a\n"
           "  systolic tpu create my-tpu --tarball systolic-0.1.0-linux-x86_64.tar.gz --yes");
  create.add_option("--type", options->vm.type, "v3-8, v5litepod-8, v6e-8")
      ->capture_default_str()
      ->check(accelerator);
  create.add_option("--version", options->vm.version, "of the VM's system (default: for the type)");
  create.add_option("--tarball", options->vm.tarball, "of ./run package")->check(CLI::ExistingFile);
  create.add_flag("--spot", options->vm.spot, "cheaper; may be taken back at any time");
  add_verb(create, commands, options, [](const TpuOptions& o) { return create_lines(o.vm); });
  CLI::App& ssh =
      verb(tpu, "ssh", "a shell on its first worker", "  systolic tpu ssh my-tpu --yes");
  add_verb(ssh, commands, options, [](const TpuOptions& o) { return ssh_lines(o.vm); });
  CLI::App& run = verb(tpu, "run", "copy a program to each worker and run it there",
                       "  systolic tpu run my-tpu --yes -- build/train --epochs 5");
  add_verb(run, commands, options, [](const TpuOptions& o) { return run_lines(o.vm, o.program); });
  run.add_option("PROGRAM", options->program, "the program and its arguments, after --")
      ->required();
  CLI::App& remove =
      verb(tpu, "delete", "end it, and what it costs", "  systolic tpu delete my-tpu --yes");
  add_verb(remove, commands, options, [](const TpuOptions& o) { return delete_lines(o.vm); });
}

}  // namespace

void add_commands(CLI::App& app, Commands& commands) {
  const auto options = std::make_shared<NewProjectOptions>();
  CLI::App& command =
      verb(app, "new", "a project that builds, trains and tests", "  systolic new my_project");
  command.add_option("FOLDER", options->folder, "made; its name is the project's")->required();
  commands.emplace_back(&command, [options] { return new_project(*options, std::cout); });
  add_tpu(app, commands);
}

}  // namespace tool::project
