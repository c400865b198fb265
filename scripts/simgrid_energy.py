"""Energy of the same traces by SimGrid's plugins host_energy and link_energy and by farcast: per host and per link.

Ranks that wait draw what an idle core does on both sides: SimGrid knows no polling, so the platforms' polling watts are their idle
ones. All hosts have ranks. SimGrid prints joules with six decimals: watts are so large that these are nine digits and more.
"""
import json
import re
import shutil
import subprocess
import sys

from simgrid_traces import alltoall_by_hand, collective, ping_pong, random_flows, ring, stencil

LIMIT = 1e-6
PLUGINS = ["--cfg=plugin:host_energy", "--cfg=plugin:link_energy"]
# The plugin looks at a link when a message over it begins or ends, and takes the load of that moment for all the time since it looked
# last: as if the link had been loaded during latencies, and at one rate where other messages changed it in between.
LAZY = "link_energy takes the load at a message's end for all the time since its begin; farcast's are by the bytes"
ENVELOPE = 16
BANDWIDTH_FACTORS = [(65472, 0.940694), (15424, 0.697866), (9376, 0.58729), (5776, 1.08739), (3484, 0.77493), (1426, 0.608902),
                     (732, 0.341987), (257, 0.338112), (0, 0.812084)]  # smpi/bw-factor of SimGrid 3.32: sizes above, factor


class Host:
    """Speeds and watts (idle, all cores busy) of each processor state, the state in use, cores."""

    def __init__(self, speeds=("10Gf",), watts=((1000, 2000),), state=0, cores=1):
        self.speeds, self.watts, self.state, self.cores = speeds, watts, state, cores

    def element(self, number):
        watts = ",".join(f"{idle}:{full}" if number % 2 else f"{idle}:{idle}:{full}" for idle, full in self.watts)
        idle = ",".join(str(idle) for idle, _ in self.watts)
        return (f'<host id="n{number}" speed="{",".join(self.speeds)}" pstate="{self.state}" core="{self.cores}">'
                f'<prop id="wattage_per_state" value="{watts}"/><prop id="wattage_off" value="10"/>'
                f'<prop id="farcast:polling_watts" value="{idle}"/></host>')


STATES = {"speeds": ("10Gf", "6Gf", "2.5Gf"), "watts": ((1000, 2000), (900, 1500), (800.5, 1100.25))}
PLATFORMS = {
    "alike": [Host() for _ in range(4)],
    "cores": [Host(cores=2, watts=((1000, 3000),)) for _ in range(2)],
    "unequal": [Host(speeds=(speed,), watts=((500 + 100 * i, 1500 + 333 * i),))
                for i, speed in enumerate(("10Gf", "7.3Gf", "3Gf", "1Gf"))],
    "states": [Host(**STATES, state=state) for state in (0, 1, 2, 1)],
    "states, cores": [Host(**STATES, state=state, cores=cores) for state, cores in ((2, 1), (0, 3))],
    "unequal states": [Host(speeds=("8Gf", "4Gf"), watts=((1200, 2400), (1100, 1700)), state=1), Host(**STATES, state=0),
                       Host(speeds=("1Gf",)), Host(**STATES, state=2)],
}


def link_watts(host):
    return 1000 + host, 5000 + 10 * host  # idle, busy


def platform(hosts, latency):
    """A link of its own for each host; a message crosses that of its source and that of its target."""
    count = len(hosts)
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', '<platform version="4.1">',
             '<zone id="z" routing="Full">', *(host.element(i) for i, host in enumerate(hosts))]
    lines += [f'<link id="l{i}" bandwidth="1GBps" latency="{latency}"><prop id="wattage_range" value="{idle}:{busy}"/></link>'
              for i, (idle, busy) in enumerate(map(link_watts, range(count)))]
    lines += [f'<route src="n{i}" dst="n{j}"><link_ctn id="l{i}"/><link_ctn id="l{j}"/></route>'
              for i in range(count) for j in range(i + 1, count)]
    return "\n".join([*lines, "</zone>", "</platform>", ""])


def programs(ranks):
    """Name, trace, whether messages change each other's rates."""
    work = [[f"compute {1e10 * (rank + 1):.0f}", "barrier", f"compute {3e9 * (ranks - rank):.0f}"] for rank in range(ranks)]
    pairs = [[*(line for _ in range(3) for line in (f"compute {1e9 * (1 + rank % 2):.0f}", *ping_pong(2 * 10 ** 8)[rank % 2])
                if rank < 2), "compute 5e8"] for rank in range(ranks)]
    yield "imbalance", work
    yield "ping-pong 2e8", pairs
    yield "ring x 1e7", [[line.replace("1e5", "2e9") for line in lines] for lines in ring(ranks, 10 ** 7, 4)]
    yield "alltoall by hand", [[*lines, "compute 4e9"] for lines in alltoall_by_hand(ranks, 10 ** 7)]
    yield "random flows", [[*lines, "compute 1e9"] for lines in random_flows(1, ranks)]
    yield "allreduce 1e6", [[line.replace("1e6", "2e9") for line in lines] for lines in collective("allreduce 1000000 0 6", ranks)]
    if ranks == 4:
        yield "stencil 2x2", [[line.replace("2e6", "1e9") for line in lines] for lines in stencil(2, 10 ** 6, 3)]


def cases():
    """(platform's name, program's name, the hosts, the latency of links, lines of each rank)

    Each rank computes first: host_energy takes the watts of state 0 until a host's first computation, whatever its state is.
    """
    for name, hosts in PLATFORMS.items():
        ranks = sum(host.cores for host in hosts)
        for program, lines in programs(ranks):
            for latency in ("0", "20us") if name == "alike" else ("0",):
                own = [["compute 1e6", *of_rank] for of_rank in lines]
                yield name + ("" if latency == "0" else ", latency"), program, hosts, latency, own


def write(folder, hosts, latency, lines):
    for rank, own in enumerate(lines):
        (folder / f"{rank}.ti").write_text("".join(f"{rank} {line}\n" for line in ["init", *own, "finalize"]))
    (folder / "trace").write_text("".join(f"{rank}.ti\n" for rank in range(len(lines))))
    (folder / "platform.xml").write_text(platform(hosts, latency))
    (folder / "hosts").write_text("".join(f"n{i}:{host.cores}\n" for i, host in enumerate(hosts)))


def closed_form(hosts, lines):
    """Returns: [link] J beside idle by the bytes of the messages, whatever their rates; None for traces with collectives.

    A link carries a message's size with the envelope, divided by the bandwidth factor, and a 20th of it as acknowledgements.
    """
    host_of = [i for i, host in enumerate(hosts) for _ in range(host.cores)]
    load = [0.0] * len(hosts)
    for rank, own in enumerate(lines):
        for line in own:
            action, *arguments = line.split()
            if action not in ("send", "isend", "recv", "irecv", "wait", "compute"):
                return None
            if action in ("send", "isend") and host_of[rank] != host_of[int(arguments[0])]:
                size = float(arguments[2]) + ENVELOPE
                factor = next(value for boundary, value in BANDWIDTH_FACTORS if size > boundary)
                for host in (host_of[rank], host_of[int(arguments[0])]):
                    load[host] += 1.05 * size / factor
    return [(busy - idle) * load[i] / 1e9 for i, (idle, busy) in enumerate(map(link_watts, range(len(hosts))))]


def simgrid_joules(folder, ranks, smpirun):
    """Returns: ({host: J}, {link: J}), or the last line that it said."""
    command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", "-replay", "trace", *smpirun, *PLUGINS]
    said = ""
    for precision in ("1e-12", "1e-10", "1e-9"):  # the finest makes SimGrid's solver crash now and then
        done = subprocess.run([*command, f"--cfg=maxmin/precision:{precision}"], cwd=folder, capture_output=True, text=True, timeout=600)
        said = done.stdout + done.stderr
        hosts = re.findall(r"Energy consumption of host (\S+): (\S+) Joules", said)
        links = re.findall(r"Energy consumption of link '(\S+)': (\S+) Joules", said)
        if hosts and "Simulation time" in said:
            return {name: float(joules) for name, joules in hosts}, {name: float(joules) for name, joules in links}
    return said.strip().splitlines()[-1]


def farcast_joules(folder, farcast):
    command = [farcast, "replay", "trace", "--platform", "./platform.xml", "--hostfile", "hosts", "--json", "out.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise RuntimeError(f"farcast: exit code {done.returncode}: {done.stderr[-1500:]}")
    prediction = json.loads((folder / "out.json").read_text())["predictions"][0]
    links = {link["name"]: link["idle_j"] + link["carrying_j"] for link in prediction.get("link_energy", [])}
    return {f"n{node['host']}": node["total_j"] for node in prediction["node_energy"]}, links, prediction["time_s"]


def furthest(theirs, ours):
    """Returns: the largest relative difference of what both have."""
    return max((abs(ours[name] - theirs[name]) / theirs[name] for name in ours), default=0.0)


def by_the_bytes(case, joules, time, without_latency):
    """Returns: whether links draw what the bytes on them cost, by the closed form or, with collectives, by SimGrid without latencies.

    Latencies change no bytes. without_latency: {(platform, program): {link: J beside idle}} of SimGrid; None: nothing to compare with.
    """
    name, program, hosts, _, lines = case
    carrying = closed_form(hosts, lines)
    by_simgrid = without_latency.get((name.removesuffix(", latency"), program))
    expected = {f"l{i}": own for i, own in enumerate(carrying)} if carrying else by_simgrid
    if not expected:
        return False
    return furthest({f"l{i}": link_watts(i)[0] * time + expected[f"l{i}"] for i in range(len(hosts))}, joules) <= LIMIT


def run(case, farcast, work, smpirun, without_latency):
    """Prints a row. Returns: "agrees", "explained", "above", or "dead" where SimGrid dies."""
    name, program, hosts, latency, lines = case
    folder = work / re.sub(r"\W+", "_", f"energy {name} {program}")
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, hosts, latency, lines)
    theirs = simgrid_joules(folder, len(lines), smpirun)
    if isinstance(theirs, str):
        print(f"{name:<16} {program:<18} SimGrid's replay dies: {theirs}", flush=True)
        return "dead"
    ours = farcast_joules(folder, farcast)
    shutil.rmtree(folder)
    of_hosts, of_links = furthest(theirs[0], ours[0]), furthest(theirs[1], ours[1])
    outcome = "agrees" if ours[0].keys() == theirs[0].keys() and of_hosts <= LIMIT else "above"
    if of_links > LIMIT:
        lazy = by_the_bytes(case, ours[1], ours[2], without_latency)
        outcome = "explained" if lazy and outcome == "agrees" else "above"
    elif latency == "0":
        without_latency[name, program] = {f"l{i}": theirs[1][f"l{i}"] - link_watts(i)[0] * ours[2] for i in range(len(hosts))}
    mark = {"agrees": "", "explained": "  " + LAZY, "above": "  ABOVE"}[outcome]
    print(f"{name:<16} {program:<18} {sum(theirs[0].values()):>18.6f} {sum(ours[0].values()):>18.6f} {of_hosts:>9.2e} "
          f"{sum(theirs[1][link] for link in ours[1]):>18.6f} {sum(ours[1].values()):>18.6f} {of_links:>9.2e}{mark}", flush=True)
    return outcome


def compare(farcast, work, smpirun, only):
    """Prints the table. Returns: the exit code."""
    print(f"{'platform':<16} {'program':<18} {'hosts SimGrid J':>18} {'farcast J':>18} {'diff.':>9} "
          f"{'links SimGrid J':>18} {'farcast J':>18} {'diff.':>9}")
    without_latency = {}
    try:
        found = [run(case, farcast, work, smpirun, without_latency) for case in cases() if only in f"{case[0]} {case[1]}"]
    except RuntimeError as failure:
        print(f"compare_with_simgrid: {failure}", file=sys.stderr)
        return 1
    print(f"\n{len(found)} cases, {found.count('above')} above {LIMIT:g}, {found.count('explained')} where link_energy takes one load for a "
          f"time in which it changed, {found.count('dead')} that kill SimGrid")
    return 1 if "above" in found or set(found) <= {"dead"} else 0
