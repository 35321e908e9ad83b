#include "systolic/events/event_stream.h"

#include <atomic>
#include <exception>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/events/background_sink.h"
#include "systolic/events/event_log.h"
#include "systolic/events/every_run.h"

namespace systolic::inline v0 {
namespace {

thread_local EventStream* current_stream = nullptr;

int64_t next_run() {
  static std::atomic<int64_t> runs{0};
  return ++runs;
}

EventSinkPtr checked(EventSinkPtr sink) {
  if (sink) return sink;
  raise<InvalidArgument>({.what = "one of the event sinks is a null pointer",
                          .hint = "std::make_shared<YourSink>() makes one"});
}

bool is_told_here(const EventSink& sink) {
  return sink.in_every_process() || place_in_run().index == 0;
}

void say_failed(std::string_view said) {
  log_warning(
      str("An event sink failed and is told nothing more; the run goes on. It said: ", said));
}

}  // namespace

EventStream::EventStream() : outer_(std::exchange(current_stream, this)) {
  moment_.run = next_run();
  add(std::make_shared<EventLog>());
}

EventStream::~EventStream() { current_stream = outer_; }

void EventStream::add(EventSinkPtr sink) {
  if (is_told_here(*checked(sink))) listeners_.push_back({std::move(sink)});
}

void EventStream::add_in_background(EventSinkPtr sink) {
  if (is_told_here(*checked(sink))) add(std::make_shared<BackgroundSink>(std::move(sink)));
}

// A sink may itself cause events, as one that has a program compiled: it stays until the end.
void EventStream::publish(const Event& event) {
  if (was_said(event)) return;
  advance(event);
  if (std::holds_alternative<events::RunBegin>(event)) {
    said_.clear();  // those that are added now heard nothing of it
    for (EventSinkPtr& sink : sinks_of_every_run()) add(std::move(sink));
  }
  for (Listener& listener : listeners_) {
    if (!listener.failed) listener.failed = !tell(*listener.sink, moment_, event);
  }
}

bool EventStream::was_said(const Event& event) {
  const events::Line* line = line_of(event);
  return line != nullptr && line->once && !said_.insert(line->text).second;
}

void EventStream::advance(const Event& event) {
  moment_.time = std::chrono::system_clock::now();
  if (const auto* begin = std::get_if<events::EpochBegin>(&event)) moment_.epoch = begin->epoch;
  if (const auto* end = std::get_if<events::StepEnd>(&event)) {
    moment_.step += end->steps;
    moment_.samples += end->samples;
  }
}

void publish(const Event& event) {
  if (current_stream != nullptr) return current_stream->publish(event);
  EventLog().handle({.time = std::chrono::system_clock::now()}, event);
}

void add_to_run(EventSinkPtr sink) {
  if (current_stream != nullptr) current_stream->add(std::move(sink));
}

void publish_warning(std::string text, bool once) {
  publish(events::Notice{{.level = LogLevel::warning, .text = std::move(text), .once = once}});
}

void publish_advice(LogLevel level, std::string text) {
  publish(events::Advice{{.level = level, .text = std::move(text), .once = true}});
}

bool tell(EventSink& sink, const events::Moment& at, const Event& event) {
  try {
    sink.handle(at, event);
    return true;
  } catch (const std::exception& error) {
    say_failed(error.what());
  } catch (...) {  // of any type: a sink ends no run
    say_failed("an exception of an unknown type");
  }
  return false;
}

}  // namespace systolic::inline v0
