// The command line of systolic tfrecord.
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace tool::tfrecord {

// Adds `tfrecord` and its verbs; each with what it does once its options are read.
void add_commands(CLI::App& app, std::vector<std::pair<CLI::App*, std::function<int()>>>& commands);

}  // namespace tool::tfrecord
