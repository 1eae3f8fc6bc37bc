#define VAGLIO_LEVEL v3
#define VAGLIO_VECTOR_BYTES 32
#include "ops.ipp"
