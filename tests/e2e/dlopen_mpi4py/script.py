# MPI comes into this process by dlopen: python loads mpi4py's extension module, which brings libmpi with it.
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()

values = array("d", [float(rank)] * 1000)
total = array("d", [0.0] * 1000)
for _ in range(10):
    world.Allreduce(values, total)

for step in range(5):
    if rank == 0:
        world.Send([values, MPI.DOUBLE], dest=1, tag=step)
        world.Recv([total, MPI.DOUBLE], source=1, tag=step)
    elif rank == 1:
        world.Recv([total, MPI.DOUBLE], source=0, tag=step)
        world.Send([values, MPI.DOUBLE], dest=0, tag=step)

words = world.gather(f"rank {rank} of {size}", root=0)
if rank == 0:
    print(total[0], words)
