// What keeps a worker that a damaged file has taken over from doing harm.
#pragma once

#include <cstdint>

namespace worker {

// Memory in bytes and processor time in seconds. Every open file but the three that the worker was
// given is closed; signals for the terminal's or the service's processes do not end it: its parent
// does, by closing the socket.
void set_limits(uint64_t memory, uint64_t seconds);

// From here on the kernel refuses all but reading and writing what is open, memory, and the end:
// no file, program, connection, or other process can be reached. Where the kernel has no such
// filters, the limits alone remain.
void refuse_system_calls();

}  // namespace worker
