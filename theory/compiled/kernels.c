/* Compiled rounds for theory.compiled; no Python in here, the library is opened by ctypes.

   The same code is compiled for several levels of x86-64 and the level is chosen when the library is opened, so what is
   built on one machine runs on another. Elsewhere vectors of two doubles are what every machine has. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME(x) x##_plain
#define WIDTH 2
#define NV 3
#define JT 4
#include "rounds.inc"
#include "crowd.inc"
#include "single.inc"
#include "many.inc"
#include "search.inc"
#include "minnorm.inc"
#include "products.inc"
#undef NAME
#undef WIDTH
#undef NV
#undef JT

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define LEVELS 1
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define NAME(x) x##_avx2
#define WIDTH 4
#define NV 3
#define JT 4
#include "rounds.inc"
#include "crowd.inc"
#include "single.inc"
#include "many.inc"
#include "search.inc"
#include "minnorm.inc"
#include "products.inc"
#undef NAME
#undef WIDTH
#undef NV
#undef JT
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512vl,prefer-vector-width=512")
#define NAME(x) x##_avx512
#define WIDTH 8
#define NV 2
#define JT 4
#include "rounds.inc"
#include "crowd.inc"
#include "single.inc"
#include "many.inc"
#include "search.inc"
#include "minnorm.inc"
#include "products.inc"
#undef NAME
#undef WIDTH
#undef NV
#undef JT
#pragma GCC pop_options
#endif

/* 0 plain, 1 avx2, 2 avx512: the best of these that the processor has. */
int level(void) {
#ifdef LEVELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return 2;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
  return 0;
}

/* Raised, here and in library.py, whenever these sources change. */
int version(void) { return 7; }

#if defined(__has_include)
#if __has_include(<Python.h>)
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels", "Compiled rounds, called through ctypes.", 0, 0};
PyMODINIT_FUNC PyInit__kernels(void) { return PyModule_Create(&module); }
#endif
#endif
