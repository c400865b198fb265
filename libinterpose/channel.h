// The connection to this node's predictor: finding the job, starting the predictor, handing over
// the file, waiting for the report.
#pragma once

#include "libinterpose/stream/protocol.h"

#include <cstddef>
#include <cstdint>

namespace farcast::interpose {

// Writes a name that all ranks of one job on this node agree on, and no other job has. Returns:
// false when it does not fit.
bool job_key(char* out, std::size_t size);
// Returns: number of ranks of this job on this node as the launcher says, or 0; this rank's place
// among them, or -1.
int local_ranks();
int local_rank();
// Returns: how many ranks the launcher of the other MPI library started here, when there are
// several and ours started none: each of them is alone then, a job of one rank; else 0.
int ranks_of_other_launcher();
// Returns: a connected socket, or -1 with the reason in `error`.
int connect_predictor(const char** error);
// Sends the hello message with the shared file's descriptor; `asks`: MessageHeader::value.
// Returns: success.
bool send_hello(int socket, int file, std::uint32_t asks);
// Receives an answer of that kind. Returns: the descriptor of the memory, -1 when none came.
int receive_file(int socket, stream::MessageKind kind, std::uint32_t& value);
// Sends the list of loaded objects, so that addresses can be resolved after the process is gone.
void send_modules(int socket);
// Tells the predictor that Finalize was entered; `wants_report`: this rank prints the report.
bool send_finalized(int socket, std::uint32_t report); // 0, kPrintsReport, kWaitsForReport (stream/protocol.h)
// Copies the report to descriptor `to` (-1: nowhere) as it comes. Returns: false when the predictor
// fell silent or went away before it was done.
bool relay_report(int socket, int to);
// Copies the texts that have come, and waits for none.
void relay_texts(int socket, int to);
// Returns: the other end has gone.
bool is_gone(int socket);

} // namespace farcast::interpose
