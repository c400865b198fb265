# mpi4py's own ways of calling MPI: objects as pickles (Mprobe and Mrecv inside), collectives of objects and of buffers,
# non-blocking and persistent requests, derived datatypes, communicators, one-sided windows. Prints what came out, on rank 0.
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size
lines = []


def say(what, value):
    values = world.gather(value, root=0)
    if rank == 0:
        lines.append(f"{what}: {values}")


# objects of growing size round a ring: eager and rendezvous
for length in (1, 100, 10_000, 300_000):
    request = world.isend({"from": rank, "data": list(range(length))}, dest=right, tag=length)
    received = world.recv(source=left, tag=length)
    request.wait()
    say(f"ring {length}", (received["from"], sum(received["data"])))
say("sendrecv", world.sendrecv(f"hello from {rank}", dest=right, source=left))

# collectives of objects
say("bcast", world.bcast({"step": 7} if rank == 0 else None, root=0))
say("scatter", world.scatter([f"part {i}" for i in range(size)] if rank == 0 else None, root=0))
say("allgather", world.allgather(rank ** 2))
say("alltoall", world.alltoall([(rank, other) for other in range(size)]))
say("allreduce", world.allreduce(rank + 1, op=MPI.MAX))
say("scan", world.scan([rank]))  # lists add up to lists: an operation in Python

# collectives of buffers, in place and with different counts
values = array("d", [rank + 0.5] * 5000)
world.Allreduce(MPI.IN_PLACE, values)
say("Allreduce in place", values[0])
counts = [i + 1 for i in range(size)]
everything = array("i", [0] * sum(counts))
world.Allgatherv(array("i", [rank] * counts[rank]), [everything, counts, [sum(counts[:i]) for i in range(size)], MPI.INT])
say("Allgatherv", everything.tolist())
barrier = world.Ibarrier()
barrier.Wait()

# persistent requests, and every third element by a derived datatype
column = MPI.INT.Create_vector(100, 1, 3).Commit()
source, target = array("i", range(rank, rank + 300)), array("i", [0] * 300)
requests = [world.Send_init([source, 1, column], dest=right), world.Recv_init([target, 1, column], source=left)]
for _ in range(10):
    MPI.Prequest.Startall(requests)
    MPI.Request.Waitall(requests)
for request in requests:
    request.Free()
column.Free()
say("every third", sum(target))

# a sub-communicator of each rank alone or with every second one, and a duplicate
half = world.Split(color=rank % 2, key=-rank)
say("Split", (half.Get_rank(), half.Get_size(), half.allreduce(rank)))
half.Free()
twin = world.Dup()
say("Dup", twin.bcast(rank, root=size - 1))
twin.Free()

# windows: put and get between fences, accumulate under a lock
memory = array("d", [0.0] * 1000)
window = MPI.Win.Create(memory, disp_unit=memory.itemsize, comm=world)
window.Fence()
window.Put(array("d", [rank + 1.0] * 500), right)
window.Fence()
fetched = array("d", [0.0] * 500)
window.Get(fetched, right)
window.Fence()
say("Put and Get", (memory[0], fetched[499]))
for _ in range(20):
    window.Lock(0)
    window.Accumulate(array("d", [1.0] * 10), 0, target=500, op=MPI.SUM)
    window.Unlock(0)
world.Barrier()
say("Accumulate", memory[500:502].tolist())
window.Free()

if rank == 0:
    print("\n".join(lines))
