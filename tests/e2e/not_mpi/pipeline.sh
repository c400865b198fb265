#!/bin/sh
# Programs that know nothing of MPI, with every symbol resolved at start (LD_BIND_NOW=1 is in the environment).
seq 1 2000 | sort -rn | head -n 3
/bin/true && echo "true: $?"
/bin/false || echo "false: $?"
(exec sh -c 'echo subshell; exit 4')
echo "subshell: $?"
printf '%s\n' b a | while read -r word; do echo "$word" | tr ab xy; done
exit 5
