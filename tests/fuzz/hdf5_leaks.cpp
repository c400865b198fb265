// For test programs that read damaged run files: HDF5 itself loses memory when it gives up on one,
// linked as an archive or, where there is none, shared. Only the address sanitizer asks.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:H5FL_\nleak:libhdf5"; }
