// The command lines of systolic new and systolic tpu.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace tool::project {

// Adds `new`, and `tpu` with its verbs; each with what it does once its options are read.
void add_commands(CLI::App& app, std::vector<std::pair<CLI::App*, std::function<int()>>>& commands);

}  // namespace tool::project
