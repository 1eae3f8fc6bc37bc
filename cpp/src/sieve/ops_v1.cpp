#define VAGLIO_LEVEL v1
#define VAGLIO_VECTOR_BYTES 16
#include "ops.ipp"
