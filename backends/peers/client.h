// The cores of several processes as one client. Each process has a client of its own cores; a
// program over whole arrays is cut along the batch (passes::partition), a program for each core
// along the cores, and each process runs its share, exchanging what it must through Peers.
#pragma once

#include "systolic/runtime/client.h"
#include "systolic/runtime/peers.h"

namespace systolic::inline v0 {
namespace peers {

// `own`: this process's client; all processes have one of as many cores. Its programs are refused
// where another process compiles another one: FailedPrecondition names it.
//
// Every process gives from_host() the whole of a sharded array, and keeps its piece. A result that
// programs over whole arrays leave cut is gathered, unless it takes a cut argument's memory: on
// every process to_literal() is the whole array, without any exchange.
runtime::ClientPtr client_of_all(runtime::ClientPtr own, runtime::PeersPtr peers);

}  // namespace peers
}  // namespace systolic::inline v0
