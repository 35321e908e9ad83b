// A worker's life: it answers requests until its parent is gone.
#pragma once

#include <exception>
#include <new>

#include "systolic/io/worker/program/channel.h"

namespace worker {

// Calls answer(request) for each request that comes. What it throws is told to the parent as
// damage of the file.
template <class Answer>
[[noreturn]] void serve(const Channel& channel, const Answer& answer) {
  for (;;) {
    const shared_wire::Message request = channel.receive();
    try {
      answer(request);
      channel.send_done();
    } catch (const std::bad_alloc&) {
      channel.send_damaged("it asks for more memory than its reader may have");
    } catch (const std::exception& error) {
      channel.send_damaged(error.what());
    }
  }
}

}  // namespace worker
