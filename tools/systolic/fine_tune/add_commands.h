// The command lines of the commands that fine-tune.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace tool::fine_tune {

// Adds each with what it does once its options are read.
void add_commands(CLI::App& app, std::vector<std::pair<CLI::App*, std::function<int()>>>& commands);

}  // namespace tool::fine_tune
