// Watts of links: what files say, and what is refused.
#include "predictor/platform/link_power.h"
#include "predictor/platform/simgrid_xml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace farcast;
using namespace farcast::platform;

namespace {

std::string document(const std::string& body) {
  return fmt::format("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                     "<platform version=\"4.1\">\n{}\n</platform>\n",
                     body);
}

std::string of_link(const std::string& attributes, const std::string& properties) {
  return document(fmt::format("<zone id='z' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>\n"
                              "<link id='l' bandwidth='1GBps' latency='1us' {}>{}</link>\n"
                              "<link id='other' bandwidth='1GBps'/>\n"
                              "<route src='a' dst='b'><link_ctn id='l' {}/></route></zone>",
                              attributes, properties,
                              attributes.find("SPLITDUPLEX") == std::string::npos ? "" : "direction='UP'"));
}

std::string of_cluster(const std::string& attributes, const std::string& value) {
  return document(fmt::format("<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='1GBps' lat='1us' {}>"
                              "<prop id='farcast:link_wattage_range' value='{}'/></cluster>",
                              attributes, value));
}

Platform good(const std::string& text) {
  const auto platform = parse_simgrid_xml(text, "p.xml");
  INFO((platform ? std::string() : platform.error().message));
  REQUIRE(platform);
  return *platform;
}

std::string bad(const std::string& text) {
  const auto platform = parse_simgrid_xml(text, "p.xml");
  REQUIRE_FALSE(platform);
  return platform.error().message;
}

std::size_t with_power(const Platform& platform, double idle, double busy) {
  std::size_t out = 0;
  for (const auto& [link, power] : platform.link_power) out += power.idle.value() == idle && power.busy.value() == busy ? 1 : 0;
  return out;
}

constexpr const char* kRange = "<prop id='wattage_range' value=' 100.5 : 200 '/><prop id='wattage_off' value='10'/>";

} // namespace

TEST_CASE("wattage_range of a link is that of the link alone, of both where its directions are apart") {
  const Platform one = good(of_link("", kRange));
  REQUIRE(one.link_power.size() == 1);
  CHECK(one.links[one.link_power.begin()->first].name == "l");
  CHECK(with_power(one, 100.5, 200) == 1);
  CHECK(one.warnings.empty());
  CHECK(with_power(good(of_link("sharing_policy='SPLITDUPLEX'", kRange)), 100.5, 200) == 2);
  CHECK(good(of_link("", "")).link_power.empty());
}

TEST_CASE("what is not used of a link's properties is said") {
  const Platform pipe = good(of_link("sharing_policy='FATPIPE'", kRange));
  CHECK(pipe.link_power.empty());
  REQUIRE(pipe.warnings.size() == 1);
  CHECK(pipe.warnings[0].find("p.xml:5: property wattage_range is not used") != std::string::npos);
  const Platform other = good(of_link("", "<prop id='colour' value='red'/>"));
  REQUIRE(other.warnings.size() == 1);
  CHECK(other.warnings[0] == "p.xml:5: property colour is not used");
}

TEST_CASE("watts of a link that cannot be are refused") {
  for (const char* value : {"", "100", "100:", "-1:5", "1:2:3", "a:b", "1:nan", "1,2"}) {
    const std::string message = bad(of_link("", fmt::format("<prop id='wattage_range' value='{}'/>", value)));
    CHECK(message.find("p.xml:5: property wattage_range") != std::string::npos);
    CHECK(message.find("Idle:Busy in watts") != std::string::npos);
  }
  CHECK(bad(of_link("", "<prop id='wattage_range' value='9:8'/>")).find("not below the Idle value") != std::string::npos);
  CHECK(bad(of_link("", "<prop id='wattage_off' value='-3'/>")).find("wattage_off") != std::string::npos);
  CHECK(bad(of_link("", "<prop id='farcast:watts' value='3'/>")).find("expected wattage_range") != std::string::npos);
  const std::string of_host = bad(document("<zone id='z' routing='Full'><host id='a' speed='1Gf'>"
                                           "<prop id='farcast:link_wattage_range' value='1:2'/></host></zone>"));
  CHECK(of_host.find("expected it in a <cluster>") != std::string::npos);
}

TEST_CASE("a cluster's links: cables in both directions and the backbone, each of parallel cables") {
  CHECK(with_power(good(of_cluster("", "3:5")), 3, 5) == 8);
  const Platform flat =
      good(of_cluster("bb_bw='2GBps' bb_lat='1us' loopback_bw='5GBps' loopback_lat='0' limiter_link='9GBps'", "3:5"));
  CHECK(flat.links.size() == 8 + 1 + 4 + 4);
  CHECK(with_power(flat, 3, 5) == 9);
  CHECK(good(of_cluster("sharing_policy='FATPIPE'", "3:5")).link_power.empty());
  CHECK(with_power(good(of_cluster("sharing_policy='SHARED'", "3:5")), 3, 5) == 4);
  // Two switches of two hosts each below one root, three parallel cables between.
  const Platform tree = good(of_cluster("topology='FAT_TREE' topo_parameters='2;2,2;1,1;1,3'", "3:5"));
  CHECK(tree.link_power.size() == tree.links.size());
  CHECK(bad(of_cluster("", "5:3")).find("farcast:link_wattage_range") != std::string::npos);
}
