"""Programs as time-independent traces, which SimGrid's replay and farcast's read: a list of lines per rank, without init and finalize."""
import random

DETACHED_BELOW = 65536  # bytes; smaller sends return at once (smpi/send-is-detached-thresh)


def ping_pong(size):
    return [[f"send 1 0 {size}", f"recv 1 0 {size}"], [f"recv 0 0 {size}", f"send 0 0 {size}"]]


def far_ping_pong(size, ranks=16):
    lines = [[] for _ in range(ranks)]
    lines[0], lines[-1] = [f"send {ranks - 1} 0 {size}", f"recv {ranks - 1} 0 {size}"], [f"recv 0 0 {size}", f"send 0 0 {size}"]
    return lines


def start_send(peer, tag, size):
    """SimGrid 3.32 now and then dies when it waits for an isend that was detached: those are sends, which return as early."""
    return f"{'isend' if size >= DETACHED_BELOW else 'send'} {peer} {tag} {size}"


def waits(rank, lines):
    """A wait for each request of the lines, in their order."""
    out = []
    for line in lines:
        action, *arguments = line.split()
        if action == "irecv":
            out.append(f"wait {arguments[0]} {rank} {arguments[1]}")
        elif action == "isend":
            out.append(f"wait {rank} {arguments[0]} {arguments[1]}")
    return out


def ring(ranks, size, rounds):
    return [[line for _ in range(rounds) for line in
             (f"irecv {(rank - 1) % ranks} 0 {size}", f"send {(rank + 1) % ranks} 0 {size}", f"wait {(rank - 1) % ranks} {rank} 0",
              "compute 1e5")]
            for rank in range(ranks)]


def stencil(side, size, rounds):
    def peer(x, y):
        return x % side * side + y % side
    out = []
    for rank in range(side * side):
        x, y = divmod(rank, side)
        peers = sorted({peer(x + 1, y), peer(x - 1, y), peer(x, y + 1), peer(x, y - 1)} - {rank})
        posts = [f"irecv {p} 0 {size}" for p in peers] + [start_send(p, 0, size) for p in peers]
        out.append([line for _ in range(rounds) for line in [*posts, *waits(rank, posts), "compute 2e6"]])
    return out


def alltoall_by_hand(ranks, size):
    others = [[p for p in range(ranks) if p != rank] for rank in range(ranks)]
    posts = [[f"irecv {p} 0 {size}" for p in others[rank]] + [start_send(p, 0, size) for p in others[rank]] for rank in range(ranks)]
    return [[*posts[rank], *waits(rank, posts[rank])] for rank in range(ranks)]


def random_flows(seed, ranks):
    """Even ranks send at random times messages of random sizes to random odd ranks, which have posted all their receives."""
    generator = random.Random(seed)
    receives, sends = [[] for _ in range(ranks)], [[] for _ in range(ranks)]
    for tag in range(ranks * 3):
        source, target = generator.randrange(0, ranks, 2), generator.randrange(1, ranks, 2)
        size = int(10 ** generator.uniform(0, 7))
        receives[target].append(f"irecv {source} {tag} {size}")
        sends[source] += [f"compute {generator.uniform(0, 2e7):.0f}", f"send {target} {tag} {size}"]
    return [[*receives[rank], *sends[rank], *waits(rank, receives[rank])] for rank in range(ranks)]


def collective(line, ranks):
    return [[line.replace("SELF", str(rank)), "compute 1e6", line.replace("SELF", str(rank))] for rank in range(ranks)]
