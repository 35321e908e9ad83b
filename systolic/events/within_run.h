// Runs the body of a run: what it throws is told as events::Failure, and goes on.
//
//   EventStream stream;
//   return within_run(stream, [&] { ...; return result; });
#pragma once

#include <exception>

#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {

template <class Body>
auto within_run(EventStream& stream, const Body& body) {
  try {
    return body();
  } catch (const std::exception& error) {
    stream.publish(events::Failure{error.what()});
    throw;
  } catch (...) {
    stream.publish(events::Failure{"an exception of an unknown type"});
    throw;
  }
}

}  // namespace systolic::inline v0
