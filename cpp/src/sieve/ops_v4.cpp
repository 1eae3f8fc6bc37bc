#define VAGLIO_LEVEL v4
#define VAGLIO_VECTOR_BYTES 64
#include "ops.ipp"
