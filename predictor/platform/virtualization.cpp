#include "predictor/platform/virtualization.h"

#include "predictor/platform/scale_links.h"

#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>

namespace farcast::platform {

namespace {

void scale(Overhead& overhead, double factor) {
  for (OverheadSection& section : overhead) {
    section.base_s *= factor;
    section.per_byte_s *= factor;
  }
}

void scale(std::optional<NodePower>& power, double factor) {
  if (!power) {
    return;
  }
  for (base::Watts* watts :
       {&power->idle, &power->static_active, &power->all_computing, &power->all_polling, &power->all_probing}) {
    *watts = *watts * factor;
  }
  if (power->all_memory) {
    *power->all_memory = *power->all_memory * factor;
  }
}

void scale(std::optional<ThreadFormulas>& threads, double factor) {
  if (!threads || !threads->power) {
    return;
  }
  model::ThreadPower& power = *threads->power;
  for (base::Watts* watts : {&power.low, &power.low_per_thread, &power.high, &power.high_per_thread}) {
    *watts = *watts * factor;
  }
  if (power.maximum) {
    *power.maximum = *power.maximum * factor;
  }
}

std::shared_ptr<const Processor> scaled(const Processor& processor, const VirtualOverheads& overheads) {
  auto out = std::make_shared<Processor>(processor);
  for (ProcessorState& state : out->states) {
    scale(state.power, overheads.power);
  }
  scale(out->threads, overheads.power);
  if (out->logp) {
    out->logp = out->logp->scaled(overheads.communication);
  }
  return out;
}

} // namespace

void virtualize(Platform& platform, const VirtualOverheads& overheads) {
  platform.virtualization = overheads;
  const double longer = overheads.communication;
  scale_links(platform, 1.0 / longer, longer);
  PointToPoint& p2p = platform.p2p;
  p2p.loopback_bandwidth = p2p.loopback_bandwidth * (1.0 / longer);
  p2p.loopback_latency = p2p.loopback_latency * longer;
  for (Overhead* overhead : {&p2p.send_overhead, &p2p.isend_overhead, &p2p.receive_overhead, &p2p.self_message}) {
    scale(*overhead, longer);
  }
  for (auto& block : platform.blocks) {
    if (block) {
      block->start_s *= longer;
      block->per_byte_s *= longer;
    }
  }
  std::map<const Processor*, std::shared_ptr<const Processor>> processors;
  for (Host& host : platform.hosts) {
    scale(host.power, overheads.power);
    if (host.processor == nullptr) {
      continue;
    }
    auto& processor = processors[host.processor.get()];
    if (processor == nullptr) {
      processor = scaled(*host.processor, overheads);
    }
    host.processor = processor;
  }
  platform.warnings.push_back(fmt::format(
      "the nodes are virtual machines: computation takes {:g} times, communication {:g} times as long as on the nodes "
      "themselves, and they draw {:g} times as much (farcast:virtualization, Balladini13)",
      overheads.computation, overheads.communication, overheads.power));
}

} // namespace farcast::platform
