#include "libinterpose/slots.h"

namespace farcast::interpose {

void write_ranges(Thread& thread, stream::SlotKind kind, std::uint32_t id, const int* ranks, int count) {
  SlotList<stream::RankRange> list(thread, kind, id);
  for (int i = 0; i < count;) {
    stream::RankRange range{ranks[i], 0, 1};
    if (i + 1 < count) range.stride = ranks[i + 1] - ranks[i];
    int next = i + 1;
    while (next < count && ranks[next] - ranks[next - 1] == range.stride) {
      ++range.count;
      ++next;
    }
    list.add(range);
    i = next;
  }
}

void write_ranks(Thread& thread, stream::SlotKind kind, std::uint32_t id, const int* ranks, int count) {
  SlotList<std::int32_t> list(thread, kind, id);
  for (int i = 0; i < count; ++i) list.add(ranks[i]);
}

} // namespace farcast::interpose
