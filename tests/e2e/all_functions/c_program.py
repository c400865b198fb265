"""Writes the C program: one function per snippet, called from main between MPI_Init and MPI_Finalize."""

import re

from variables import VARIABLES, C_TYPES, c_declaration

SCALARS = {name for name, kind, shape, _ in VARIABLES if shape is None and kind not in ("value", "old_value", "string", "range")}
SHAPES = {name: shape for name, _, shape, _ in VARIABLES}
CONSTANTS = {"extra": "NULL", "old_extra": "NULL", "attribute": "(void *)0", "old_attribute": "(void *)0", "allocated": "memory"}

HEAD = """
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0 /* the functions that MPI 3.0 removed are still exported */
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

{variables}
static double seconds;
static MPI_Fint fortran_handle, fortran_status[16];
static MPI_T_enum tool_enum;

static void check(int code, const char *call) {{
  if (code != MPI_SUCCESS) {{
    fprintf(stderr, "rank %d: %s returns %d\\n", rank, call, code);
    exit(3);
  }}
}}
static void comm_failed(MPI_Comm *comm, int *code, ...) {{ (void)comm, (void)code; }}
static void win_failed(MPI_Win *handle, int *code, ...) {{ (void)handle, (void)code; }}
static void file_failed(MPI_File *file, int *code, ...) {{ (void)file, (void)code; }}
static void combine(void *in, void *inout, int *length, MPI_Datatype *type) {{
  (void)type;
  for (int i = 0; i < *length; ++i) ((int *)inout)[i] += ((int *)in)[i];
}}
#if defined(MPICH)
static void session_failed(MPI_Session *handle, int *code, ...) {{ (void)handle, (void)code; }}
static void combine_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *type) {{
  (void)in, (void)inout, (void)length, (void)type;
}}
#endif
static int grequest_query(void *state, MPI_Status *status) {{ (void)state; status->MPI_ERROR = MPI_SUCCESS; return MPI_SUCCESS; }}
static int grequest_free(void *state) {{ (void)state; return MPI_SUCCESS; }}
#if defined(MPICH)
static int grequest_poll(void *state, MPI_Status *status) {{ (void)state, (void)status; return MPI_SUCCESS; }}
static int grequest_wait(int count, void **states, double timeout, MPI_Status *status) {{
  (void)count, (void)states, (void)timeout, (void)status;
  return MPI_SUCCESS;
}}
#endif
static int grequest_cancel(void *state, int complete) {{ (void)state, (void)complete; return MPI_SUCCESS; }}
"""
SETUP = """
  /* MPICH 4.0 forgets the tool interface's categories when its last user leaves, Open MPI 4.1 loads its plugins again for the
     next: one user stays. */
  MPI_T_init_thread(MPI_THREAD_SINGLE, &n);
  world = MPI_COMM_WORLD;
  types[0] = types[1] = MPI_INT;
  own_rank[0] = rank;
  peer = peers[0] = 1 - rank;
  remain[0] = 1;
  block[0] = MPI_DISTRIBUTE_BLOCK;
  default_block[0] = MPI_DISTRIBUTE_DFLT_DARG;
  amode = MPI_MODE_RDWR | MPI_MODE_CREATE;
  snprintf(filename, sizeof filename, "{data_file}");
"""


def address(argument, parameter):
    """One argument of a call, as C writes it."""
    if argument in CONSTANTS:
        return CONSTANTS[argument]
    if argument.startswith("'"):
        return '"' + argument.strip("'") + '"'
    if argument in ("true", "false"):
        return str(int(argument == "true"))
    element = re.fullmatch(r"(\w+)@(\d)", argument)
    if element:
        return f"&{element[1]}[{int(element[2]) - 1}]"
    return "&" + argument if argument in SCALARS and re.search(r"[*\[]", parameter) else argument


def translate(call, prototypes):
    """One line of a common snippet -> a C statement."""
    match = re.fullmatch(r"(MPIX?_\w+)\((.*)\)", call)
    if not match:
        return call + ";"
    name, arguments = match[1], [a.strip() for a in match[2].split(",")]
    parameters = prototypes[name]
    if len(arguments) != len(parameters):
        raise ValueError(f"{call}: the prototype has {len(parameters)} parameters")
    return f"{name}({', '.join(map(address, arguments, parameters))});"


def checked(statement):
    match = re.fullmatch(r"(MPIX?_\w+)\((.*)\);", statement)
    return f'check({statement[:-1]}, "{match[1]}");' if match else statement


def local_copies(name, lines, prototypes):
    """Variables of another width that the large-count form `name` needs: locals that hide the global ones."""
    copies = []
    for line in lines:
        match = re.search(rf"\b{name}\((.*)\)", line)
        if not match or name in ("MPI_Type_get_envelope_c", "MPI_Type_get_contents_c", "MPI_Op_create_c"):
            continue
        for argument, parameter, narrow in zip(match[1].split(","), prototypes[name], prototypes[name[:-2]]):
            argument, kind = argument.strip(), parameter.replace("const ", "").split()[0]
            if kind != narrow.replace("const ", "").split()[0] and argument in SHAPES and re.search(r"[*\[]", parameter):
                shape = SHAPES[argument]
                declaration = f"{kind} {argument}_large" + ("" if shape is None else f"[{shape}]")
                elements = [""] if shape is None else [f"[{i}]" for i in range(shape)]
                if not any(c.startswith(declaration + ";") for c in copies):
                    copies.append(f"{declaration}; " + " ".join(f"{argument}_large{e} = {argument}{e};" for e in elements))
    return copies


def function(name, lines, prototypes, raw):
    """lines: (rank or None, text). Returns: the C function that makes the calls of one snippet."""
    copies = [] if raw or not name.endswith("_c") else local_copies(name, [text for _, text in lines], prototypes)
    hidden = [re.match(r"\w+ (\w+)_large", copy)[1] for copy in copies]
    body = []
    for guard, text in lines:
        if not raw and name + "(" in text:
            text = translate(text, prototypes)
            for variable in hidden:
                text = re.sub(rf"(?<=[(, &]){variable}(?=[,)])", f"{variable}_large", text)
        elif not raw:
            text = translate(text, prototypes)
        text = checked(text)
        body.append(f"  if (rank == {guard}) {{ {text} }}" if guard is not None else f"  {text}")
    return "\n".join([f"static void call_{name}(void) {{"] + [f"  {copy}" for copy in copies] + body + ["}"])


def program(functions, calls, prologue, epilogue, initialise, data_file, library):
    """functions: texts; calls: [(name, repetitions)]; prologue, epilogue: statements outside of Init .. Finalize."""
    variables = "\n".join(c_declaration(*row) for row in VARIABLES if library == "mpich" or row[1] != "session")
    text = HEAD.format(variables=variables) + "\n" + "\n\n".join(functions) + "\n\nint main(int argc, char **argv) {\n"
    text += "".join(f"  {s}\n" for s in prologue) + f"  {initialise}\n  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    text += SETUP.format(data_file=data_file)
    text += "".join(f"  for (int i = 0; i < {times}; ++i) call_{name}();\n" for name, times in calls)
    text += "  MPI_T_finalize();\n  MPI_Finalize();\n" + "".join(f"  {s}\n" for s in epilogue) + "  return 0;\n}\n"
    return text
