/* Not linked with MPI: by_dlopen LIBRARY default|handle. Functions are looked up in the global scope, or in the handle alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void* scope;

static void* need(const char* name) {
  void* found = dlsym(scope, name);
  if (found == NULL) printf("%s: not found\n", name);
  return found;
}

int main(int argc, char** argv) {
  void* handle = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (argc != 3 || handle == NULL) {
    printf("%s\n", dlerror());
    return 2;
  }
  scope = strcmp(argv[2], "handle") == 0 ? handle : RTLD_DEFAULT;
  int (*init)(int*, char***) = (int (*)(int*, char***))need("MPI_Init");
  int (*initialized)(int*) = (int (*)(int*))need("MPI_Initialized");
  int (*finalize)(void) = (int (*)(void))need("MPI_Finalize");
  if (init == NULL || initialized == NULL || finalize == NULL) return 2;
  int flag = 0;
  init(NULL, NULL);
  for (int i = 0; i < 10; ++i) initialized(&flag);
  printf("initialized: %d\n", flag);
  return finalize() == 0 ? 5 : 1;
}
