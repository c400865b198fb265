/* pause.h for Fortran. */
#include "../pause.h"

void pause_for(int ms) { pause_ms(ms); }
