#include "predictor/platform/simgrid_xml.h"

#include "predictor/platform/platform_properties.h"
#include "predictor/platform/quantity_text.h"
#include "predictor/platform/smpi_config.h"
#include "predictor/platform/text_file.h"
#include "predictor/platform/virtualization.h"
#include "predictor/platform/xml_source.h"
#include "predictor/platform/zone_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace farcast::platform {

namespace {

class Reader {
public:
  Reader(std::string_view text, const std::string& file_name) : source_(text, file_name), file_name_(file_name) {}

  base::Result<Platform> read() {
    for (const auto step : {&Reader::check_root, &Reader::read_members, &Reader::read_network}) {
      if (const base::Result<void> done = (this->*step)(); !done) {
        return tl::make_unexpected(done.error());
      }
    }
    return std::move(platform_);
  }

private:
  base::Result<void> check_root();
  base::Result<void> read_members();
  base::Result<void> read_network();
  base::Result<void> take_measuring_speed();

  XmlSource source_;
  std::string file_name_;
  Platform platform_;
  Properties options_;
  pugi::xml_node network_; // the one <zone>, <AS> or <cluster>
};

base::Result<void> Reader::check_root() {
  if (const auto done = source_.parse(); !done) {
    return done;
  }
  const pugi::xml_node root = source_.document().document_element();
  if (std::string_view(root.name()) != "platform") {
    return source_.unlike(root, "<platform version=\"4.1\">");
  }
  if (root.next_sibling()) {
    return source_.unlike(root.next_sibling(), "nothing after </platform>");
  }
  const std::string_view version = root.attribute("version").value();
  if (version != "4.1" && version != "4" && version != "4.0") {
    return source_.unlike(root, "version", "4.1 (simgrid_update_xml converts older files)");
  }
  return {};
}

base::Result<void> Reader::read_members() {
  const pugi::xml_node root = source_.document().document_element();
  for (const pugi::xml_node& child : root.children()) {
    const std::string_view name = child.name();
    if (name == "config") {
      if (const auto done = source_.read_properties(child, options_); !done) {
        return done;
      }
    } else if (name == "random") {
      platform_.warnings.push_back(fmt::format("{}: <random> has no effect", source_.place(child)));
    } else if (name == "actor" || name == "process") {
      platform_.warnings.push_back(
          fmt::format("{}: <{}> is not used: the placement is chosen by options", source_.place(child), name));
    } else if (name == "trace" || name == "trace_connect") {
      platform_.warnings.push_back(
          fmt::format("{}: <{}>: changes of speed, bandwidth or availability are not modelled", source_.place(child), name));
    } else if (name != "cluster" && name != "zone" && name != "AS") {
      return source_.unlike(child, "<config>, <zone> or <cluster>");
    } else if (network_) {
      return base::fail(
          fmt::format("{}: found <{}> after another zone or cluster, expected one: a <zone> around them holds several",
                      source_.place(child), name));
    } else {
      network_ = child;
    }
  }
  if (!network_) {
    return base::fail(fmt::format("{}: found a platform without hosts, expected a <zone> or a <cluster>", source_.place(root)));
  }
  return {};
}

// smpi/host-speed; "auto" asks SimGrid to measure it, which is left to the remark on options that
// are not modelled.
base::Result<void> Reader::take_measuring_speed() {
  const auto given = std::find_if(options_.begin(), options_.end(), [](const Property& option) {
    return option.id == "smpi/host-speed" && option.value != "auto";
  });
  if (given == options_.end()) {
    return {};
  }
  const base::Result<base::FlopsPerSecond> speed = parse_speed(given->value);
  if (!speed) {
    return at_place(fmt::format("{}: option {}", given->place, given->id), speed.error());
  }
  platform_.measuring_speed = *speed;
  options_.erase(given);
  return {};
}

base::Result<void> Reader::read_network() {
  platform_.p2p = simgrid_defaults();
  if (const auto done = take_measuring_speed(); !done) {
    return done;
  }
  if (const auto done = apply_config(options_, platform_.p2p, platform_.warnings); !done) {
    return done;
  }
  ZoneReader zones(source_, platform_, {platform_.p2p.loopback_bandwidth, platform_.p2p.loopback_latency});
  if (const auto done = zones.read(network_); !done) {
    return done;
  }
  if (const auto done = apply_platform_properties(zones.about_platform(), platform_); !done) {
    return done;
  }
  const VirtualOverheads& virtual_machines = platform_.virtualization;
  if (virtual_machines.computation != 1.0 || virtual_machines.communication != 1.0 || virtual_machines.power != 1.0) {
    virtualize(platform_, virtual_machines);
  }
  platform_.name = file_name_;
  platform_.description = platform_.description.empty() ? zones.summary() : platform_.description;
  platform_.source = platform_.source.empty() ? file_name_ : platform_.source;
  return {};
}

} // namespace

base::Result<Platform> parse_simgrid_xml(std::string_view text, const std::string& file_name) {
  return Reader(text, file_name).read();
}

base::Result<Platform> read_simgrid_xml(const std::string& path) {
  const base::Result<std::string> text = read_text_file(path, "a SimGrid platform file");
  return text ? parse_simgrid_xml(*text, path) : tl::make_unexpected(text.error());
}

} // namespace farcast::platform
