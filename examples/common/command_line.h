// What the command lines of all examples share: exit codes, and checks that say what was wanted.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>

namespace examples {

// Reads the options, --monitor and --tensorboard among them, which every example has, then runs
// `body`, whose result is the exit code. Wrong usage is code 2, an error of the program code 1,
// each with a message on standard error.
int run_example(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

// Whether --monitor or --tensorboard was given: examples whose test comes after the training then
// validate after each epoch, too, so that there is a curve of it.
bool is_watched();

// For ->check(): a whole number that is not below `smallest`.
CLI::Validator at_least(int64_t smallest);

}  // namespace examples
