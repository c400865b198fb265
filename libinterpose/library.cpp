#include "libinterpose/library.h"

#include "libinterpose/real.h"

namespace farcast::interpose {

Constants constants;

void load_constants() {
  if (constants.loaded) return;
#if defined(FARCAST_OPENMPI)
  const auto address = [](const char* name) { return reinterpret_cast<std::uint64_t>(find_variable(name)); };
  constants.comm_world = address("ompi_mpi_comm_world");
  constants.comm_self = address("ompi_mpi_comm_self");
  constants.comm_null = address("ompi_mpi_comm_null");
  constants.request_null = address("ompi_request_null");
  constants.datatype_null = address("ompi_mpi_datatype_null");
  constants.op_null = address("ompi_mpi_op_null");
  constants.group_null = address("ompi_mpi_group_null");
  constants.win_null = address("ompi_mpi_win_null");
  constants.message_null = address("ompi_message_null");
  constants.message_no_proc = address("ompi_message_no_proc");
  constants.packed = address("ompi_mpi_packed");
#else
  constants.comm_world = key_of(MPI_COMM_WORLD);
  constants.comm_self = key_of(MPI_COMM_SELF);
  constants.comm_null = key_of(MPI_COMM_NULL);
  constants.request_null = key_of(MPI_REQUEST_NULL);
  constants.datatype_null = key_of(MPI_DATATYPE_NULL);
  constants.op_null = key_of(MPI_OP_NULL);
  constants.group_null = key_of(MPI_GROUP_NULL);
  constants.win_null = key_of(MPI_WIN_NULL);
  constants.message_null = key_of(MPI_MESSAGE_NULL);
  constants.message_no_proc = key_of(MPI_MESSAGE_NO_PROC);
  constants.packed = key_of(MPI_PACKED);
#endif
  constants.loaded = true;
}

#if defined(FARCAST_OPENMPI)
MPI_Comm comm_world() { return reinterpret_cast<MPI_Comm>(constants.comm_world); }
MPI_Comm comm_self() { return reinterpret_cast<MPI_Comm>(constants.comm_self); }
MPI_Comm comm_null() { return reinterpret_cast<MPI_Comm>(constants.comm_null); }
MPI_Op op_null() { return reinterpret_cast<MPI_Op>(constants.op_null); }
MPI_Datatype type_packed() { return reinterpret_cast<MPI_Datatype>(constants.packed); }
#else
MPI_Comm comm_world() { return MPI_COMM_WORLD; }
MPI_Comm comm_self() { return MPI_COMM_SELF; }
MPI_Comm comm_null() { return MPI_COMM_NULL; }
MPI_Op op_null() { return MPI_OP_NULL; }
MPI_Datatype type_packed() { return MPI_PACKED; }
#endif

} // namespace farcast::interpose
