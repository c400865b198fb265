# What Rmpi does with R's objects and vectors, on the world (communicator 0) of a job that mpirun started.
library(Rmpi)
rank <- mpi.comm.rank(0)
size <- mpi.comm.size(0)

settings <- list(name = "run", values = 1:10)
if (rank == 0) mpi.bcast.Robj(settings, 0, 0) else settings <- mpi.bcast.Robj(NULL, 0, 0)
stopifnot(settings$name == "run", sum(settings$values) == 55)

sum <- mpi.allreduce(as.double(rank + 1), type = 2, op = "sum", comm = 0)
stopifnot(sum == size * (size + 1) / 2)

right <- (rank + 1) %% size
left <- (rank - 1) %% size
for (round in 1:20) {
  mpi.isend.Robj(list(from = rank, round = round), right, tag = round, comm = 0)
  got <- mpi.recv.Robj(left, tag = round, comm = 0)
  mpi.wait(0)
  stopifnot(got$from == left, got$round == round)
}

all <- mpi.allgather.Robj(data.frame(rank = rank, square = rank^2), comm = 0)
parts <- mpi.gather(as.double(rank), type = 2, rdata = double(size), root = 0, comm = 0)
invisible(mpi.barrier(0))
if (rank == 0) {
  print(all)
  print(parts)
}
mpi.quit()
