"""What the test programs call: for each MPI function a few calls that make sense with two ranks.

A snippet is a text of one call per line. It serves all bindings, so it is written in neither language:

  MPI_Recv(b, 4, MPI_INT, 0, 7, world, st)      a call; the generator adds &, ierror, and the check of the return code
  0: MPI_Send(a, 4, MPI_INT, 1, 7, world)       only on rank 0 (1: only on rank 1)
  reqs@1                                        the first element of an array
  'text'  true  false                           literals of the language

The names that are no MPI names are the variables of variables.py. Helper calls are counted like all others, so a snippet may call
whatever it needs, but the number of calls must not depend on time: no polling loops.
"""

SNIPPETS = {}

def snippet(names, text):
    """One text for one or more functions: @NAME in it stands for the function."""
    for name in names.split():
        if name in SNIPPETS:
            raise ValueError(f"two snippets for {name}")
        SNIPPETS[name] = text.replace("@NAME", name)
