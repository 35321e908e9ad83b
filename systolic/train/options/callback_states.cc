#include "systolic/train/options/callback_states.h"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <typeinfo>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {
namespace {

// Names of states, each once, in the order of the callbacks.
std::vector<std::string> state_names(const std::vector<CallbackPtr>& callbacks) {
  std::map<std::string, int> seen;
  std::vector<std::string> names;
  for (const CallbackPtr& callback : callbacks) {
    const std::string name = callback->state_name();
    const int number = ++seen[name];
    names.push_back(number == 1 ? name : str(name, "#", number));
  }
  return names;
}

void warn_of_lost_states(const std::string& who, const std::vector<std::string>& names,
                         const std::string& what) {
  if (names.empty()) return;
  publish_warning(str(who, join(names), what));
}

}  // namespace

std::string Callback::state_name() const {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : typeid(*this).name();
}

Example arrays_under(const std::string& prefix, const Example& arrays) {
  Example::Components below;
  for (const Example::Component& one : arrays) {
    if (one.name.starts_with(prefix)) below.push_back({one.name.substr(prefix.size()), one.value});
  }
  return Example(std::move(below));
}

void add_under(const std::string& prefix, const Example& arrays, Example& all) {
  for (const Example::Component& one : arrays) all.set(prefix + one.name, one.value);
}

Example callback_states(const std::vector<CallbackPtr>& callbacks) {
  const std::vector<std::string> names = state_names(callbacks);
  Example all;
  for (size_t i = 0; i < callbacks.size(); ++i)
    add_under(names[i] + "/", callbacks[i]->save_state(), all);
  return all;
}

void load_callback_states(const std::vector<CallbackPtr>& callbacks, const Example& states) {
  const std::vector<std::string> names = state_names(callbacks);
  std::set<std::string> taken;
  std::vector<std::string> without, left;
  for (size_t i = 0; i < callbacks.size(); ++i) {
    const Example state = arrays_under(names[i] + "/", states);
    taken.insert(names[i]);
    if (!state.empty()) {
      callbacks[i]->load_state(state);
    } else if (!callbacks[i]->save_state().empty()) {
      without.push_back(names[i]);
    }
  }
  for (const Example::Component& one : states) {
    const std::string name = one.name.substr(0, one.name.find('/'));
    if (taken.insert(name).second) left.push_back(name);
  }
  warn_of_lost_states(
      "the run that is taken up has no state of these callbacks, which begin anew: ", without, ".");
  warn_of_lost_states(
      "the run that is taken up had other callbacks, too, whose state is left: ", left, ".");
}

}  // namespace systolic::inline v0
