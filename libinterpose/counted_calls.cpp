#include "libinterpose/counted_calls.h"

namespace farcast::interpose {

namespace {

template <class Count> struct Calls {
  constexpr Calls(const char* isend_name, const char* irecv_name, const char* pack_size_name, const char* pack_name,
                  const char* reduce_local_name)
      : isend(isend_name), irecv(irecv_name), pack_size(pack_size_name), pack(pack_name), reduce_local(reduce_local_name) {}
  Real<int (*)(const void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> isend;
  Real<int (*)(void*, Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)> irecv;
  Real<int (*)(Count, MPI_Datatype, MPI_Comm, Count*)> pack_size;
  Real<int (*)(const void*, Count, MPI_Datatype, void*, Count, Count*, MPI_Comm)> pack;
  Real<int (*)(const void*, void*, Count, MPI_Datatype, MPI_Op)> reduce_local;
};
constinit Calls<int> plain{"PMPI_Isend", "PMPI_Irecv", "PMPI_Pack_size", "PMPI_Pack", "PMPI_Reduce_local"};
constinit Calls<Large> large{"PMPI_Isend_c", "PMPI_Irecv_c", "PMPI_Pack_size_c", "PMPI_Pack_c", "PMPI_Reduce_local_c"};

} // namespace

int isend_counted(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  if (beyond_int(count)) return large.isend.get()(buffer, static_cast<Large>(count), type, destination, tag, comm, request);
  return plain.isend.get()(buffer, static_cast<int>(count), type, destination, tag, comm, request);
}

int irecv_counted(void* buffer, std::int64_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  if (beyond_int(count)) return large.irecv.get()(buffer, static_cast<Large>(count), type, source, tag, comm, request);
  return plain.irecv.get()(buffer, static_cast<int>(count), type, source, tag, comm, request);
}

int pack_size_counted(std::int64_t count, MPI_Datatype type, MPI_Comm comm, std::int64_t* size) {
  if (beyond_int(count) || beyond_int(*size)) {
    Large bytes = 0;
    const int code = large.pack_size.get()(static_cast<Large>(count), type, comm, &bytes);
    *size = bytes;
    return code;
  }
  int bytes = 0;
  const int code = plain.pack_size.get()(static_cast<int>(count), type, comm, &bytes);
  *size = bytes;
  return code;
}

int pack_counted(const void* buffer, std::int64_t count, MPI_Datatype type, void* copy, MPI_Comm comm, std::int64_t* size) {
  if (beyond_int(count) || beyond_int(*size)) {
    Large position = 0;
    const int code = large.pack.get()(buffer, static_cast<Large>(count), type, copy, static_cast<Large>(*size), &position, comm);
    *size = position;
    return code;
  }
  int position = 0;
  const int code = plain.pack.get()(buffer, static_cast<int>(count), type, copy, static_cast<int>(*size), &position, comm);
  *size = position;
  return code;
}

int reduce_local_counted(const void* in, void* inout, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  if (beyond_int(count)) return large.reduce_local.get()(in, inout, static_cast<Large>(count), type, op);
  return plain.reduce_local.get()(in, inout, static_cast<int>(count), type, op);
}

} // namespace farcast::interpose
