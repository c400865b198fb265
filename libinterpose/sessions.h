// Which MPI the program itself has started: the World model (MPI_Init), sessions
// (MPI_Session_init), or both.
//
// What is recorded belongs to the World model: members of communicators are ranks of
// MPI_COMM_WORLD. A communicator that comes from a session has no such ranks (objects of the two
// models must not meet in one call), so its calls are recorded without their communicator and keep
// their measured time, and a job with sessions alone has no record at all: one line says so.
// Invariant: no call of ours names MPI_COMM_WORLD unless the program's own MPI_Init has returned
// and its MPI_Finalize has not been entered.
// Threads: any.
#pragma once

namespace farcast::interpose {

// Returns: the program is between its MPI_Init and its MPI_Finalize.
bool world_is_open();
// MPI_Session_init and MPI_Session_finalize have returned `code`.
void session_began(int code);
void session_ended(int code);
// Returns: sessions that have not ended.
int open_session_count();
// A communicator was made from a group of a session.
void note_session_communicator();
bool has_session_communicators();

} // namespace farcast::interpose
