// Sends of coupled mode, which leave from a private copy.
#include "libinterpose/counted_calls.h"
#include "libinterpose/coupled.h"
#include "libinterpose/grown_list.h"
#include "libinterpose/isolation.h"
#include "libinterpose/real.h"

#include <climits>
#include <cstdlib>
#include <cstring>

namespace farcast::interpose {

namespace {

constexpr std::int64_t kMostCopied = std::int64_t{64} << 20; // bytes that a rank leaves behind without asking
constexpr std::size_t kMostSent = 4096;                      // the same of messages: each is looked at now and then
constexpr std::int64_t kLargestPacked = sizeof(Large) > sizeof(int) ? INT64_MAX : INT_MAX;

constinit Real<int (*)(MPI_Request*, int*, MPI_Status*)> real_test{"PMPI_Test"};
constinit Real<int (*)(MPI_Request*, MPI_Status*)> real_wait{"PMPI_Wait"};
constinit Real<int (*)(MPI_Datatype, MPI_Count*)> real_type_size{"PMPI_Type_size_x"};
constinit Real<int (*)(MPI_Datatype, MPI_Count*, MPI_Count*)> real_extent{"PMPI_Type_get_extent_x"};
constinit Real<int (*)(MPI_Datatype, MPI_Count*, MPI_Count*)> real_true_extent{"PMPI_Type_get_true_extent_x"};

} // namespace

struct SentCopy::Memory { // the data follow
  std::uint32_t uses;
  std::int64_t bytes;
};

namespace {

struct Sent { // under way from its copy
  MPI_Request request;
  SentCopy::Memory* memory; // null: it is empty
  MPI_Comm comm;
};
constinit List<Sent> sent{};
constinit std::int64_t copied = 0;     // bytes of all copies
constinit std::size_t sweeps_from = 0; // that many messages: all were looked at not long ago

// What a message has of memory.
struct Layout {
  std::int64_t bytes;  // of data
  std::int64_t begins; // behind its buffer
  bool dense;          // there are no gaps
};

int lay_out(std::int64_t count, MPI_Datatype type, Layout* out) {
  MPI_Count size = 0;
  MPI_Count low = 0;
  MPI_Count extent = 0;
  MPI_Count true_low = 0;
  MPI_Count true_extent = 0;
  int code = real_type_size.get()(type, &size);
  if (code == MPI_SUCCESS) code = real_extent.get()(type, &low, &extent);
  if (code == MPI_SUCCESS) code = real_true_extent.get()(type, &true_low, &true_extent);
  const std::int64_t bytes = count * size;
  *out = {bytes, true_low, extent >= 0 && true_extent + (count - 1) * extent == bytes};
  return code;
}

// As packing, of data that begin at MPI_BOTTOM: MPICH's MPI_Pack refuses that.
int pack_absolute(const void* buffer, std::int64_t count, MPI_Datatype type, void* copy, std::int64_t* size) {
  MPI_Request in;
  MPI_Request out;
  MPI_Status status;
  int code = irecv_counted(copy, *size, type_packed(), 0, own_tag(), comm_self(), &in);
  if (code == MPI_SUCCESS) code = isend_counted(buffer, count, type, 0, own_tag(), comm_self(), &out);
  if (code == MPI_SUCCESS) code = real_wait.get()(&out, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS) code = real_wait.get()(&in, &status);
  if (code == MPI_SUCCESS) *size = static_cast<std::int64_t>(status_bytes(status));
  return code;
}

} // namespace

void SentCopy::release(Memory* memory) {
  if (memory == nullptr || --memory->uses > 0) return;
  copied -= memory->bytes;
  std::free(memory);
}

bool any_sent() { return sent.size > 0; }

bool is_sent_on(MPI_Comm comm) {
  return sent.any([comm](const Sent& one) { return one.comm == comm; });
}

void sweep_sent() {
  const std::size_t before = sent.size;
  std::size_t left = 0;
  const PollsOn here;
  for (std::size_t i = 0; i < before; ++i) {
    Sent& one = sent.values[i];
    int done = 0;
    if (real_test.get()(&one.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) done = 1;
    if (done != 0)
      SentCopy::release(one.memory);
    else
      sent.values[left++] = one;
  }
  sent.size = left;
  sweeps_from = 2 * left;
  if (left < before) free_left();
}

bool owes_much() { return copied > kMostCopied || sent.size > kMostSent; }

SentCopy::SentCopy(const void* buffer, std::int64_t count, MPI_Datatype type, MPI_Comm comm) {
  if (count < 0) {
    code_ = MPI_ERR_COUNT;
    return;
  }
  Layout layout{};
  code_ = lay_out(count, type, &layout);
  std::int64_t size = layout.bytes;
  if (code_ == MPI_SUCCESS && !layout.dense) {
    if (size > kLargestPacked) give_up("a message of more than 2 GiB has gaps between its data");
    code_ = pack_size_counted(count, type, comm, &size);
  }
  if (code_ != MPI_SUCCESS) return;
  memory_ = static_cast<Memory*>(std::malloc(sizeof(Memory) + static_cast<std::size_t>(size)));
  if (memory_ == nullptr) give_up("there is no memory for what the program sends");
  *memory_ = {1, size};
  copied += size;
  char* const data = reinterpret_cast<char*>(memory_ + 1);
  if (layout.dense) {
    std::memcpy(data, static_cast<const char*>(buffer) + layout.begins, static_cast<std::size_t>(size));
    buffer_ = data - layout.begins;
    count_ = count;
    type_ = type;
    return;
  }
  code_ = buffer == MPI_BOTTOM ? pack_absolute(buffer, count, type, data, &size)
                               : pack_counted(buffer, count, type, data, comm, &size);
  buffer_ = data;
  count_ = size;
  type_ = type_packed();
}

SentCopy::~SentCopy() {
  if (memory_ != nullptr) release(memory_);
}

namespace {

// `memory`: of the copy that it leaves from; null: it has no data.
int send_from(SentCopy::Memory* memory, const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag,
              MPI_Comm comm) {
  Sent* const one = sent.add();
  if (one == nullptr) give_up("there is no memory for what the program sends");
  *one = {MPI_Request{}, memory, comm};
  if (const int code = isend_counted(buffer, count, type, destination, tag, comm, &one->request); code != MPI_SUCCESS) {
    --sent.size;
    return code;
  }
  if (memory != nullptr) ++memory->uses;
  wake_receiver(destination, comm);
  if (sent.size >= sweeps_from) sweep_sent(); // of many each time would be as many looks as pairs of them
  return MPI_SUCCESS;
}

} // namespace

int SentCopy::send(int destination, int tag, MPI_Comm comm) {
  return send_from(memory_, buffer_, count_, type_, destination, tag, comm);
}

// An empty one to the rank itself may last until it is received, as any other.
int send_copy(const void* buffer, std::int64_t count, MPI_Datatype type, int destination, int tag, MPI_Comm comm) {
  if (destination == MPI_PROC_NULL || count <= 0) return send_from(nullptr, buffer, count, type, destination, tag, comm);
  SentCopy copy(buffer, count, type, comm);
  return copy.code() == MPI_SUCCESS ? copy.send(destination, tag, comm) : copy.code();
}

} // namespace farcast::interpose
