#include "predictor/platform/simgrid_xml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>
#include <unit/platform/temporary_file.h>

using namespace farcast;
using namespace farcast::platform;

namespace {

const std::string kCluster = R"(<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>)";

std::string document(const std::string& body) {
  return fmt::format("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                     "<platform version=\"4.1\">\n{}\n</platform>\n",
                     body);
}

// A cluster with more attributes, and elements within it.
std::string cluster(const std::string& attributes, const std::string& within = {}) {
  return document(fmt::format("<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" core=\"4\" bw=\"1GBps\" "
                              "lat=\"1us\" {}>{}</cluster>",
                              attributes, within));
}

std::string prop(const std::string& id, const std::string& value) {
  return fmt::format("<prop id=\"{}\" value=\"{}\"/>", id, value);
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

} // namespace

TEST_CASE("a flat cluster, bare or in a zone") {
  const std::string bare = document(kCluster);
  const std::string zone = document("<zone id='z' routing='Full'>" + kCluster + "</zone>");
  const std::string as = document("<AS id='z' routing='Full'>" + kCluster + "</AS>");
  for (const std::string& text : {bare, zone, as}) {
    const Platform platform = good(text);
    CHECK(platform.name == "p.xml");
    CHECK(platform.description == "cluster c of 4 hosts with 1 cores");
    CHECK(platform.source == "p.xml");
    CHECK(platform.hosts.size() == 4);
    CHECK(platform.hosts[3].name == "n3");
    CHECK(platform.hosts[3].cores == 1);
    CHECK(platform.hosts[3].speed.value() == 1e9);
    CHECK_FALSE(platform.hosts[3].relative_speed);
    CHECK_FALSE(platform.hosts[3].power);
    CHECK(platform.links.size() == 8); // SPLITDUPLEX is the default
    CHECK(platform.links[0].bandwidth.value() == 1e9);
    CHECK(platform.links[0].latency.value() == 1e-6);
    CHECK(platform.route(0, 1).links == std::vector<LinkId>{0, 3});
    CHECK(platform.route(0, 0).links == std::vector<LinkId>{0, 1});
    CHECK(platform.warnings.empty());
    CHECK(platform.p2p.tcp_gamma == 4194304.0);
  }
}

TEST_CASE("sharing policies") {
  CHECK(good(cluster("sharing_policy='SPLITDUPLEX'")).links.size() == 8);
  CHECK(good(cluster("sharing_policy='FULLDUPLEX'")).links.size() == 8);
  const Platform shared = good(cluster("sharing_policy='SHARED'"));
  CHECK(shared.links.size() == 4);
  CHECK(shared.links[0].sharing == Sharing::shared);
  const Platform fat = good(cluster("sharing_policy='FATPIPE'"));
  CHECK(fat.links.size() == 4);
  CHECK(fat.links[0].sharing == Sharing::fatpipe);
  CHECK(fat.warnings.size() == 1);
}

TEST_CASE("messages of a rank to itself: as the file says, else at SimGrid's rate; which hosts loop back") {
  const Platform measured = good(cluster("", prop("farcast:self_message", "1000:2e-6:4e-10;0:1e-6:3e-10")));
  CHECK(self_message_at(measured.p2p, 0).value() == Approx(1e-6 + 3e-10));
  CHECK(self_message_at(measured.p2p, 1000).value() == Approx(1e-6 + 3e-7));
  CHECK(self_message_at(measured.p2p, 10000).value() == Approx(2e-6 + 4e-6));
  CHECK(!measured.topology.loops_back(1));
  const Platform local = good(cluster("", prop("farcast:reduction", "0:1e-7:3e-10") + prop("farcast:copy", "0:0:1e-10")));
  CHECK(overhead_at(local.p2p.reduction, 1e6).value() == Approx(1e-7 + 3e-4));
  CHECK(overhead_at(local.p2p.copy, 1e6).value() == Approx(1e-4));
  CHECK(self_message_at(good(cluster("")).p2p, 1e6).value() == Approx(1e6 / 10e9));
  CHECK(good(cluster("loopback_bw='40Gbps'")).topology.loops_back(1));
}

TEST_CASE("backbone and loopback") {
  const Platform platform = good(cluster("bb_bw='20Gbps' bb_lat='500ns' loopback_bw='40Gbps' loopback_lat='50ns'"));
  const Link& backbone = platform.links[platform.route(0, 1).links.at(1)];
  CHECK(backbone.bandwidth.value() == 2.5e9);
  CHECK(backbone.latency.value() == Approx(5e-7));
  CHECK(backbone.sharing == Sharing::shared);
  const Link& loopback = platform.links[platform.route(3, 3).links.at(0)];
  CHECK(loopback.bandwidth.value() == 5e9);
  CHECK(loopback.sharing == Sharing::fatpipe); // SimGrid's
  CHECK(platform.route(0, 1).latency.value() == Approx(2.5e-6));
  CHECK(platform.route(1, 1).latency.value() == Approx(5e-8));

  const Platform fat = good(cluster("bb_bw='1GBps' bb_sharing_policy='FATPIPE'"));
  CHECK(fat.links[fat.route(0, 1).links.at(1)].sharing == Sharing::fatpipe);
  CHECK(fat.links[fat.route(0, 1).links.at(1)].latency.value() == 0.0);
  CHECK(good(cluster("bb_bw='' bb_lat='0s' loopback_bw='' loopback_lat=''")).route(0, 1).links.size() == 2);
  const Platform ours = good(cluster("loopback_bw='1GBps'", prop("farcast:loopback_sharing_policy", "SHARED")));
  CHECK(ours.links[ours.route(0, 0).links.at(0)].sharing == Sharing::shared);
  CHECK(good(cluster("", prop("farcast:loopback_sharing_policy", "SHARED"))).warnings.size() == 1);
}

TEST_CASE("a limiter is crossed on both ends of a message, once by one to itself") {
  const Platform platform = good(cluster("limiter_link='2GBps'"));
  const auto names = [&](HostId from, HostId to) {
    std::vector<std::string> result;
    for (const LinkId link : platform.route(from, to).links) result.push_back(platform.links[link].name);
    return result;
  };
  CHECK(names(0, 1) == std::vector<std::string>{"c_link_0_limiter", "c_link_0_UP", "c_link_1_DOWN", "c_link_1_limiter"});
  CHECK(names(0, 0) == std::vector<std::string>{"c_link_0_limiter", "c_link_0_UP", "c_link_0_DOWN"});
}

TEST_CASE("what speaks of the whole platform") {
  const std::string props = prop("farcast:transport", "tcp-openmpi") + prop("farcast:eager_limit", "4096") +
                            prop("farcast:wakeup_latency", "12us") + prop("farcast:progress", "async") +
                            prop("farcast:cold_call", "2us") + prop("farcast:bulk_write", "3e-10") +
                            prop("farcast:bulk_read", "1e-10") + prop("farcast:lat_factor_same_node", "0:0.5;1000:2") +
                            prop("farcast:bw_factor_same_switch", "0:0.25") + prop("farcast:provenance:date", "2026-01-02");
  for (const std::string& text :
       {document(fmt::format("<zone id='z' routing='Full'>{}{}</zone>", props, kCluster)), cluster("", props)}) {
    const Platform platform = good(text);
    CHECK(platform.transport.kind == TransportKind::tcp_openmpi);
    CHECK(platform.transport.eager_limit == 4096);
    CHECK(platform.transport.wakeup_latency.value() == Approx(12e-6));
    CHECK(platform.transport.progress == ProgressRule::async);
    CHECK(platform.transport.bulk_write_s == Approx(3e-10));
    CHECK(platform.transport.bulk_read_s == Approx(1e-10));
    CHECK(platform.transport.cold_call.value() == Approx(2e-6));
    CHECK(factor_at(platform.p2p.same_node.latency, 1001) == 2);
    CHECK(factor_at(platform.p2p.same_switch.bandwidth, 1) == 0.25);
    CHECK(platform.p2p.same_node.bandwidth.empty());
    CHECK(platform.provenance == std::vector<std::pair<std::string, std::string>>{{"date", "2026-01-02"}});
    CHECK((platform.warnings.empty() && !platform.p2p.measured));
  }
  CHECK(good(cluster("", prop("farcast:provenance:kind", "network"))).p2p.measured);
  CHECK_FALSE(good(document(kCluster)).transport.progress);
  CHECK_THAT(bad(cluster("", prop("farcast:eager_limit", "-1"))), Catch::Contains("property farcast:eager_limit: found '-1'"));
  CHECK_THAT(bad(cluster("", prop("farcast:bw_factor_same_node", "fast"))),
             Catch::Contains("property farcast:bw_factor_same_node"));
  CHECK(good(cluster("", prop("farcast:handling", "9us"))).transport.wakeup_latency.value() == Approx(9e-6)); // the former name
  CHECK_THAT(bad(cluster("", prop("farcast:handling", "9us") + prop("farcast:wakeup_latency", "8us"))),
             Catch::Contains("property farcast:wakeup_latency: found '8us', expected '9us', as at"));
  CHECK_THAT(bad(cluster("", prop("farcast:progress", "never"))), Catch::Contains("expected in-call or async"));
}

TEST_CASE("properties of a test bed in older files have no effect, and one warning names them") {
  const std::string older = prop("farcast:transport", "tcp-openmpi") + prop("farcast:shared_cores", "2") +
                            prop("farcast:shared_handling", "9us") + prop("farcast:waking_work", "10us") +
                            prop("farcast:switch_waking_work", "7us") + prop("farcast:switch_notify_work", "6us") +
                            prop("farcast:switch_frame_work", "2us") + prop("farcast:switch_byte_work", "2e-10") +
                            prop("farcast:switch_read_ahead", "many");
  const Platform platform = good(cluster("", older));
  CHECK(platform.transport.kind == TransportKind::tcp_openmpi);
  CHECK(platform.warnings ==
        std::vector<std::string>{"p.xml:4: hosts that share the cores of one machine are not modelled: farcast:shared_cores, "
                                 "farcast:shared_handling, farcast:switch_byte_work, farcast:switch_frame_work, "
                                 "farcast:switch_notify_work, farcast:switch_read_ahead, farcast:switch_waking_work, "
                                 "farcast:waking_work without effect"});
}

TEST_CASE("how often hosts fail") {
  const Platform often = good(cluster("", prop("farcast:failure_rate", "2e-6")));
  CHECK(often.hosts.front().failure_rate == base::Hertz(2e-6));
  CHECK(often.hosts.back().failure_rate == base::Hertz(2e-6));
  CHECK(good(cluster("", prop("farcast:failure_rate", "0"))).hosts[0].failure_rate == base::Hertz(0));
  CHECK_FALSE(good(cluster("", "")).hosts[0].failure_rate);
  CHECK_THAT(bad(cluster("", prop("farcast:failure_rate", "-1"))), Catch::Contains("property farcast:failure_rate: found '-1'"));
  const Platform host = good(document("<zone id='z' routing='Full'><host id='h' speed='1Gf'>" +
                                      prop("farcast:failure_rate", "3e-7") + "</host></zone>"));
  CHECK(host.hosts[0].failure_rate == base::Hertz(3e-7));
}

TEST_CASE("disks, and the host that has all files") {
  const Platform own = good(cluster("", prop("farcast:disk_read_bw", "200MBps") + prop("farcast:disk_write_bw", "50MBps")));
  CHECK(own.hosts[1].disk->read.value() == 200e6);
  CHECK(own.hosts[1].disk->write.value() == 50e6);
  CHECK(own.storage_of(1) == 1);
  CHECK_FALSE(good(cluster("", "")).storage_of(1));
  CHECK(good(cluster("", prop("farcast:cores_per_cache", "4"))).hosts[2].cores_per_cache == 4);
  CHECK_THAT(bad(cluster("", prop("farcast:cores_per_cache", "0"))), Catch::Contains("property farcast:cores_per_cache"));
  CHECK(good(cluster("", prop("farcast:disk_write_bw", "50MBps"))).hosts[0].disk->read.value() == 50e6);

  const auto zone = [](const std::string& host) {
    return document("<zone id='z' routing='Full'>" + prop("farcast:storage_host", "nas") +
                    "<host id='a' speed='1Gf'/><host id='nas' " + "speed='1Gf'>" + host +
                    "</host><link id='l' bandwidth='1GBps' latency='1us'/>" +
                    "<route src='a' dst='nas'><link_ctn id='l'/></route></zone>");
  };
  const std::string disk = "<disk id='d' read_bw='1GBps' write_bw='500MBps'/>";
  const Platform server = good(zone(disk));
  CHECK(server.storage_of(0) == 1);
  CHECK(server.storage_of(1) == 1);
  CHECK(server.hosts[1].disk->write.value() == 500e6);
  CHECK(server.warnings.empty());
  CHECK(good(zone(disk + "<disk id='e' read_bw='1GBps' write_bw='1GBps'/>")).warnings.size() == 1);
  CHECK_THAT(bad(zone("")), Catch::Contains("property farcast:storage_host: found 'nas', expected a host with a <disk>"));
  CHECK_THAT(bad(zone("<disk id='d' read_bw='1GBps'/>")), Catch::Contains("found <disk> without attribute write_bw"));
  CHECK_THAT(bad(zone("<disk id='d' read_bw='-1' write_bw='1GBps'/>")), Catch::Contains("attribute read_bw of <disk>"));
  CHECK_THAT(bad(cluster("", prop("farcast:storage_host", "nobody"))), Catch::Contains("expected the name of a host"));
  CHECK_THAT(bad(cluster("", prop("farcast:disk_read_bw", "quick"))), Catch::Contains("property farcast:disk_read_bw"));
}

TEST_CASE("power") {
  const NodePower three =
      *good(cluster("", prop("wattage_per_state", "95:120.5:200") + prop("wattage_off", "10"))).hosts[0].power;
  CHECK(three.idle.value() == 95.0);
  CHECK(three.static_active.value() == 120.5);
  CHECK(three.all_computing.value() == 200.0);
  CHECK(three.all_polling.value() == 200.0);
  CHECK(three.all_probing.value() == 200.0);
  CHECK(three.polling_assumed);

  const NodePower two = *good(cluster("", prop("wattage_per_state", "95:200"))).hosts[3].power; // Idle:AllCores
  CHECK(two.idle.value() == 95.0);
  CHECK(two.static_active.value() == 95.0);
  CHECK(two.all_computing.value() == 200.0);
}

TEST_CASE("power of polling and probing") {
  const std::string watts = prop("wattage_per_state", "95:120:200");
  const auto power = [&](const std::string& more) { return *good(cluster("", more + watts)).hosts[0].power; };
  const NodePower probing = power(prop("farcast:probing_watts", "180"));
  CHECK(probing.all_polling.value() == 180.0);
  CHECK(probing.all_probing.value() == 180.0);
  CHECK(probing.polling_assumed);
  const NodePower polling = power(prop("farcast:polling_watts", "190"));
  CHECK(polling.all_polling.value() == 190.0);
  CHECK(polling.all_probing.value() == 190.0);
  CHECK_FALSE(polling.polling_assumed);
  const NodePower both = power(prop("farcast:polling_watts", "190") + prop("farcast:probing_watts", "180"));
  CHECK(both.all_polling.value() == 190.0);
  CHECK(both.all_probing.value() == 180.0);
  CHECK(both.all_computing.value() == 200.0);
  CHECK_FALSE(both.polling_assumed);
}

TEST_CASE("what is not modelled is a warning with its line") {
  const Platform states =
      good(cluster("", fmt::format("\n{}{}", prop("wattage_per_state", "95:120:200, 93:115:170"), prop("ram", "4GB"))));
  CHECK(states.hosts[0].power->all_computing.value() == 200.0);
  REQUIRE(states.warnings.size() == 2);
  CHECK(states.warnings[0] == "p.xml:5: property ram is not used");
  CHECK(states.warnings[1] == "p.xml:5: property wattage_per_state: found watts of 2 processor states, expected as many as "
                              "attribute speed has speeds, 1");
  CHECK(good(cluster("", prop("wattage_per_state", "150:100:200"))).warnings ==
        std::vector<std::string>{"p.xml:4: property wattage_per_state: the idle node draws more (150 W) than with one active "
                                 "core (125 W)"});
  CHECK(good(cluster("topo_parameters='1;2'")).warnings.size() == 1);
  CHECK(good(cluster("router_id='r' topology='FLAT'")).warnings.empty());
  CHECK(
      good(document("<random id='r' min='1' max='2' mean='1' std_deviation='1'/>" + kCluster + "<actor host='n0' function='f'/>"))
          .warnings.size() == 2);
  CHECK(good(document("<zone id='z' routing='Full'><prop id='a' value='b'/>" + kCluster + "</zone>")).warnings.size() == 1);
  std::string states_of_speed = document(kCluster);
  states_of_speed.replace(states_of_speed.find("1Gf"), 3, "2Gf,1Gf");
  CHECK(good(states_of_speed).hosts[0].speed.value() == 2e9);
  CHECK(good(states_of_speed).warnings.empty());
}

TEST_CASE("our own properties") {
  const Platform platform = good(cluster("", prop("farcast:relative_speed", "1.5") + prop("farcast:description", "mine") +
                                                 prop("farcast:source", "measured")));
  CHECK(*platform.hosts[2].relative_speed == 1.5);
  CHECK(platform.description == "mine");
  CHECK(platform.source == "measured");
  CHECK(platform.warnings.empty());
}

TEST_CASE("errors name file, line, what was found and what was expected") {
  CHECK(bad(cluster("\n sharing_policy='BOTH'")) ==
        "p.xml:5: attribute sharing_policy of <cluster>: found 'BOTH', expected SHARED, SPLITDUPLEX or FATPIPE");
  CHECK(bad(cluster("\n\n bb_lat='1us'")) ==
        "p.xml:6: attribute bb_lat of <cluster>: found '1us', expected attribute bb_bw beside it");
  CHECK(bad(cluster("topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,2'")) ==
        "p.xml:4: attribute topo_parameters of <cluster>: found a shape of 16 hosts, expected 4, as many as attribute radical "
        "names");
  CHECK(bad(document(kCluster + "\n" + kCluster)) ==
        "p.xml:5: found <cluster> after another zone or cluster, expected one: a <zone> around them holds several");
  CHECK(bad("<platform version='4.1'/>") == "p.xml:1: found a platform without hosts, expected a <zone> or a <cluster>");
  CHECK(bad(fmt::format("<platform version='3'>{}</platform>", kCluster)) ==
        "p.xml:1: attribute version of <platform>: found '3', expected 4.1 (simgrid_update_xml converts older files)");
  CHECK(bad("<html/>") == "p.xml:1: found <html>, expected <platform version=\"4.1\">");
  CHECK(bad(document("<cluster id='c'/>")) == "p.xml:4: found <cluster> without attribute prefix, expected one");
  CHECK(bad(cluster("", prop("farcast:self_message", "0:1e-6"))) ==
        "p.xml:4: property farcast:self_message: found '0:1e-6', expected overheads such as "
        "0:8.9e-6:7.9e-10;1420:1.3e-5:2e-10 (bytes:base:per_byte)");
  CHECK(bad(cluster("", prop("farcast:pollin_watts", "1"))) ==
        "p.xml:4: unknown property 'farcast:pollin_watts', expected one of farcast:polling_watts, farcast:probing_watts, "
        "farcast:relative_speed, farcast:loopback_sharing_policy, farcast:disk_read_bw, farcast:disk_write_bw, "
        "farcast:cores_per_cache, farcast:frequencies, farcast:clock_share, farcast:sockets, farcast:dvfs_latency, "
        "farcast:throttle_latency, farcast:throttled_shares, farcast:failure_rate, farcast:link_wattage_range, "
        "farcast:memory_watts, "
        "farcast:thread_times, farcast:hardware_threads, farcast:thread_watts, farcast:logp, "
        "farcast:virtualization, farcast:transport, "
        "farcast:progress, farcast:storage_host, farcast:description, farcast:source, "
        "farcast:eager_limit, "
        "farcast:eager_header, farcast:rts_bytes, farcast:cts_bytes, "
        "farcast:data_header, farcast:fin_bytes, farcast:packet_payload, farcast:packet_overhead, farcast:socket_buffer, "
        "farcast:first_window, "
        "farcast:bulk_write, farcast:bulk_read, farcast:wakeup_latency, "
        "farcast:cold_call, farcast:blocking_spin, farcast:blocking_wakeup, "
        "farcast:bw_factor_same_cache, farcast:lat_factor_same_cache, "
        "farcast:bw_factor_same_node, farcast:lat_factor_same_node, farcast:bw_factor_same_switch, "
        "farcast:lat_factor_same_switch, farcast:self_message, farcast:reduction, farcast:copy, farcast:block_p2p, "
        "farcast:block_broadcast, farcast:block_scat, farcast:block_gather, farcast:block_a2a, farcast:block_bar, "
        "farcast:block_rdisk, farcast:block_wdisk, farcast:uncertainty:NAME; "
        "did you mean farcast:polling_watts?");
}

TEST_CASE("errors in XML and in text") {
  CHECK_THAT(bad(""), Catch::StartsWith("p.xml:1: found XML that is not well-formed"));
  CHECK_THAT(bad("<platform version='4.1'>\n<cluster"), Catch::StartsWith("p.xml:2: found XML that is not well-formed"));
  CHECK_THAT(bad(document("hello" + kCluster)), Catch::Contains("found text 'hello', expected <config>"));
  CHECK_THAT(bad(document("<config>") + "</config>"), Catch::Contains("not well-formed"));
  CHECK_THAT(bad(fmt::format("<platform version='4.1'>{0}</platform><platform version='4.1'/>", kCluster)),
             Catch::Contains("nothing after"));
}

TEST_CASE("errors in the attributes of a cluster") {
  CHECK_THAT(bad(cluster("colour='red'")),
             Catch::Contains("unknown attribute 'colour' of <cluster>, expected one of id, prefix"));
  CHECK_THAT(bad(cluster("bw='2GBps'")), Catch::Contains("attribute bw of <cluster>: found it twice"));
  CHECK_THAT(bad(cluster("bb_bw='fast'")), Catch::Contains("attribute bb_bw of <cluster>: found 'fast', expected a bandwidth"));
  CHECK_THAT(bad(cluster("bb_bw='1GBps' bb_lat='-1us'")), Catch::Contains("found '-1us', expected a time"));
  CHECK_THAT(bad(cluster("bb_bw='1GBps' bb_sharing_policy='SPLITDUPLEX'")), Catch::Contains("expected SHARED or FATPIPE"));
  CHECK_THAT(bad(cluster("loopback_lat='1us'")), Catch::Contains("expected attribute loopback_bw beside it"));
  CHECK_THAT(bad(cluster("limiter_link='x'")), Catch::Contains("attribute limiter_link of <cluster>: found 'x'"));
  CHECK_THAT(bad(cluster("topology='RING'")), Catch::Contains("found 'RING', expected FLAT"));
  CHECK_THAT(bad(cluster("", "<host id='h' speed='1f'/>")), Catch::Contains("found <host>, expected <prop>"));
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = document(kCluster);
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK_THAT(bad(changed("1Gf\"", "1Gf\" core=\"0\"")), Catch::Contains("found '0', expected a whole number from 1"));
  CHECK_THAT(bad(changed("1Gf\"", "1Gf\" core=\"1e9\"")), Catch::Contains("attribute core of <cluster>: found '1e9'"));
  CHECK_THAT(bad(changed("\"1Gf\"", "\"1Gq\"")), Catch::Contains("attribute speed of <cluster>: found '1Gq', expected a speed"));
  CHECK_THAT(bad(changed("\"0-3\"", "\"3-0\"")), Catch::Contains("attribute radical of <cluster>: found '3-0'"));
  CHECK_THAT(bad(changed("\"1GBps\"", "\"0\"")), Catch::Contains("attribute bw of <cluster>: found '0'"));
  CHECK_THAT(bad(changed("\"1us\"", "\"1xs\"")), Catch::Contains("the unit 'xs' is unknown"));
  CHECK_THAT(bad(changed("prefix=\"n\"", fmt::format("prefix=\"{}\"", std::string(1000, 'n')))),
             Catch::Contains("at most 128 characters"));
}

TEST_CASE("errors in properties") {
  for (const char* watts : {"", "100", "1:2:3:4", "a:b:c", "-1:2:3", "1::3", "1:2:inf", ":", "1:2,"}) {
    INFO(watts);
    const auto platform = parse_simgrid_xml(cluster("", prop("wattage_per_state", watts)), "p.xml");
    REQUIRE_FALSE(platform);
    CHECK_THAT(platform.error().message, Catch::Contains("expected Idle:Epsilon:AllCores"));
  }
  CHECK_THAT(bad(cluster("", prop("wattage_per_state", "100:150:120"))), Catch::Contains("not below the Epsilon value"));
  CHECK_THAT(bad(cluster("", prop("wattage_off", "none"))), Catch::Contains("property wattage_off: found 'none'"));
  CHECK_THAT(bad(cluster("", prop("farcast:polling_watts", "100"))), Catch::Contains("without wattage_per_state"));
  CHECK_THAT(bad(cluster("", prop("wattage_per_state", "90:100:200") + prop("farcast:probing_watts", "95"))),
             Catch::Contains("property farcast:probing_watts: found '95', expected at least the Epsilon value"));
  CHECK_THAT(bad(cluster("", prop("wattage_per_state", "95:120:200") + prop("farcast:polling_watts", "lots"))),
             Catch::Contains("found 'lots', expected a number"));
  CHECK_THAT(bad(cluster("", prop("farcast:relative_speed", "0"))), Catch::Contains("found '0', expected a number above 0"));
  CHECK_THAT(bad(cluster("", prop("farcast:loopback_sharing_policy", "shared"))), Catch::Contains("expected SHARED or FATPIPE"));
  CHECK_THAT(bad(cluster("", prop("a", "1") + prop("a", "2"))), Catch::Contains("found property 'a' a second time"));
  CHECK_THAT(bad(cluster("", "<prop id='a'/>")), Catch::Contains("found <prop> without attribute value"));
  CHECK_THAT(bad(cluster("", "<prop value='a'/>")), Catch::Contains("found <prop> without attribute id"));
}

TEST_CASE("names that are not UTF-8 are taken for Latin-1") {
  std::string text = document(kCluster);
  text.replace(text.find("prefix=\"n\""), 10, "prefix=\"n\xe9\"");
  CHECK(good(text).hosts[0].name == "n\u00e90");
  std::string whole = document(kCluster);
  whole.replace(whole.find("prefix=\"n\""), 10, "prefix=\"\u20ac\"");
  CHECK(good(whole).hosts[0].name == "\u20ac0");
}

TEST_CASE("files") {
  CHECK_THAT(read_simgrid_xml("/nonexistent/p.xml").error().message,
             Catch::StartsWith("/nonexistent/p.xml: cannot be read (No such file or directory: "));
  CHECK_THAT(read_simgrid_xml("/").error().message, Catch::Contains("cannot be read"));
  CHECK_THAT(read_simgrid_xml("/dev/zero").error().message, Catch::Contains("found a device"));
  CHECK_THAT(read_simgrid_xml("/dev/null").error().message, Catch::Contains("found a device"));
  const TemporaryFile file(document(kCluster));
  const auto platform = read_simgrid_xml(file.path());
  REQUIRE(platform);
  CHECK(platform->name == file.path());
}
