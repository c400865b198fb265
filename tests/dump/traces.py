"""Communication patterns as SimGrid TI traces.

write(folder, pattern, ranks, bytes, messages) -> path of the trace's index. All ranks start at once. The lines of the pattern itself stand under
the call site TIMED, what comes after them under another.
"""

import pathlib

TIMED = "timed"
BYTE = 6  # SimGrid's numbers of datatypes
DOUBLE = 0


def ping_pong(rank, ranks, size, messages):
    if rank > 1:
        return []
    send, receive = f"send {1 - rank} 0 {size} {BYTE}", f"recv {1 - rank} 0 {size} {BYTE}"
    return [send, receive] if rank == 0 else [receive, send]


def both_ways(rank, ranks, size, messages):
    if rank > 1:
        return []
    peer = 1 - rank
    return [f"irecv {peer} 0 {size} {BYTE}", f"isend {peer} 0 {size} {BYTE}", f"wait {peer} {rank} 0", None,
            f"wait {rank} {peer} 0"]


def answered(rank, ranks, size, messages):
    if rank > 1:
        return []
    peer = 1 - rank
    tell = [f"send 1 1 0 {BYTE}"] if rank == 0 else []
    wait = [f"recv 0 1 0 {BYTE}"] if rank == 1 else []
    return [f"irecv {peer} 0 {size} {BYTE}", *wait, f"isend {peer} 0 {size} {BYTE}", *tell, f"wait {peer} {rank} 0", None,
            f"wait {rank} {peer} 0"]


def in_flight(rank, ranks, size, messages):
    if rank > 1:
        return []
    peer = 1 - rank
    post = "isend" if rank == 0 else "irecv"
    messages_out = [f"{post} {peer} {i} {size} {BYTE}" for i in range(messages)]
    return messages_out + ["waitall", f"sendRecv 1 {peer} 1 {peer} {BYTE} {BYTE}"]


def halo(rank, ranks, size, messages):
    left, right = (rank - 1) % ranks, (rank + 1) % ranks
    return [f"irecv {left} 0 {size} {BYTE}", f"irecv {right} 1 {size} {BYTE}", f"isend {right} 0 {size} {BYTE}",
            f"isend {left} 1 {size} {BYTE}", "waitall"] * messages


def ping_pongs(rank, ranks, size, messages):
    peer = rank ^ 1
    if peer >= ranks:
        return []
    send, receive = f"send {peer} 0 {size} {BYTE}", f"recv {peer} 0 {size} {BYTE}"
    return ([send, receive] if rank < peer else [receive, send]) * messages


def many_to_one(rank, ranks, size, messages):
    if rank > 0:
        return [None, f"send 0 0 {size} {BYTE}"]
    return [f"irecv {i} 0 {size} {BYTE}" for i in range(1, ranks)] + ["waitall"]


def one_to_many(rank, ranks, size, messages):
    if rank > 0:
        return [f"recv 0 0 {size} {BYTE}"]
    return [None] + [f"isend {i} 0 {size} {BYTE}" for i in range(1, ranks)] + ["waitall"]


def pairs(rank, ranks, size, messages):
    half = ranks // 2
    if rank < half:
        return [None, f"send {rank + half} 0 {size} {BYTE}"]
    return [f"recv {rank - half} 0 {size} {BYTE}"] if rank < 2 * half else []


def bcast(rank, ranks, size, messages):
    return [f"bcast {size} 0 {BYTE}"] * messages


def allreduce(rank, ranks, size, messages):
    return [f"allreduce {max(1, size // 8)} 0 {DOUBLE}"] * messages


def alltoall(rank, ranks, size, messages):
    return [f"alltoall {size} {size} {BYTE} {BYTE}"] * messages


def allgather(rank, ranks, size, messages):
    return [f"allgather {size} {size} {BYTE} {BYTE}"] * messages


PATTERNS = {play.__name__: play for play in (ping_pong, both_ways, answered, in_flight, halo, ping_pongs, many_to_one, one_to_many, pairs,
                                             bcast, allreduce, alltoall, allgather)}


def lines_of(pattern, rank, ranks, size, messages):
    """From a None on, lines are played and not timed."""
    lines = [f"{rank} init", f"{rank} location {TIMED} 1"]
    for action in PATTERNS[pattern](rank, ranks, size, messages):
        lines.append(f"{rank} location around 2" if action is None else f"{rank} {action}")
    return lines + [f"{rank} finalize"]


def write(folder, pattern, ranks, size, messages):
    folder = pathlib.Path(folder)
    name = f"{pattern}-{ranks}-{size}-{messages}"
    for rank in range(ranks):
        (folder / f"{name}.{rank}").write_text("\n".join(lines_of(pattern, rank, ranks, size, messages)) + "\n")
    index = folder / f"{name}.txt"
    index.write_text("".join(f"{folder / name}.{rank}\n" for rank in range(ranks)))
    return index
