#include "call.h"

#include <R_ext/Rdynload.h>
#include <string.h>

/* A finaliser for each type of handle. */
#define HANDLE(kind)                                                                                    \
  static void free_##kind(SEXP pointer) {                                                               \
    tacore_##kind##_free(R_ExternalPtrAddr(pointer));                                                   \
    R_ClearExternalPtr(pointer);                                                                        \
  }                                                                                                     \
  SEXP new_##kind(tacore_##kind* handle) {                                                              \
    if (handle == NULL) return R_NilValue;                                                              \
    SEXP out = PROTECT(R_MakeExternalPtr(handle, Rf_install("tacore_" #kind), R_NilValue));             \
    R_RegisterCFinalizerEx(out, free_##kind, TRUE);                                                     \
    UNPROTECT(1);                                                                                       \
    return out;                                                                                         \
  }                                                                                                     \
  tacore_##kind* kind##_of(SEXP pointer) {                                                              \
    if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != Rf_install("tacore_" #kind))       \
      Rf_error("a " #kind " of tacore expected");                                                       \
    if (R_ExternalPtrAddr(pointer) == NULL)                                                             \
      Rf_error("this " #kind " is of an R session that has ended; open its dataset again");             \
    return R_ExternalPtrAddr(pointer);                                                                  \
  }
HANDLE(dataset)
HANDLE(frame)
HANDLE(raster)
HANDLE(loader)
HANDLE(samples)

void free_raster_now(SEXP pointer) { free_raster(pointer); }

SEXP failure(tacore_error* error) {
  const char* names[] = {"code", "message", "path", "offset", "level", ""};
  const char* path;
  int64_t offset;
  int32_t level;
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
  tacore_error_where(error, &path, &offset, &level, NULL);
  SET_VECTOR_ELT(out, 0, Rf_ScalarInteger(tacore_error_code(error)));
  SET_VECTOR_ELT(out, 1, Rf_ScalarString(Rf_mkCharCE(tacore_error_text(error), CE_UTF8)));
  SET_VECTOR_ELT(out, 2, Rf_ScalarString(*path == '\0' ? NA_STRING : Rf_mkCharCE(path, CE_UTF8)));
  SET_VECTOR_ELT(out, 3, Rf_ScalarReal(offset < 0 ? NA_REAL : (double)offset));
  SET_VECTOR_ELT(out, 4, Rf_ScalarInteger(level < 0 ? NA_INTEGER : level));
  Rf_setAttrib(out, R_ClassSymbol, Rf_mkString("tacore_failure"));
  tacore_error_free(error);
  UNPROTECT(1);
  return out;
}

SEXP text_of(tacore_buffer* buffer) {
  SEXP out = PROTECT(Rf_allocVector(STRSXP, 1));
  SET_STRING_ELT(out, 0, Rf_mkCharLenCE(tacore_buffer_data(buffer), (int)tacore_buffer_size(buffer), CE_UTF8));
  tacore_buffer_free(buffer);
  UNPROTECT(1);
  return out;
}

SEXP raw_of(tacore_buffer* buffer) {
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)tacore_buffer_size(buffer)));
  if (tacore_buffer_size(buffer) > 0) memcpy(RAW(out), tacore_buffer_data(buffer), tacore_buffer_size(buffer));
  tacore_buffer_free(buffer);
  UNPROTECT(1);
  return out;
}

SEXP json_of(tacore_buffer* buffer) {
  SEXP text = PROTECT(text_of(buffer));
  SEXP out = parse_json(CHAR(STRING_ELT(text, 0)));
  UNPROTECT(1);
  return out;
}

const char* utf8(SEXP text) {
  if (text == R_NilValue) return NULL;
  if (TYPEOF(text) != STRSXP || XLENGTH(text) != 1 || STRING_ELT(text, 0) == NA_STRING) Rf_error("one text expected");
  return Rf_translateCharUTF8(STRING_ELT(text, 0));
}

int64_t* positions_of(SEXP numbers) {
  const R_xlen_t num = XLENGTH(numbers);
  int64_t* out = (int64_t*)R_alloc((size_t)num + 1, sizeof(int64_t));
  for (R_xlen_t i = 0; i < num; ++i) out[i] = (int64_t)REAL(numbers)[i] - 1;
  return out;
}

static void check_interrupt(void* unused) {
  (void)unused;
  R_CheckUserInterrupt();
}

static int is_interrupted = 0;

/* Runs in the thread of R. A jump of R ends within R_ToplevelExec. */
static int32_t poll(uint64_t done, uint64_t total, void* user) {
  (void)done;
  (void)total;
  (void)user;
  if (!R_ToplevelExec(check_interrupt, NULL)) is_interrupted = 1;
  return is_interrupted;
}

/* What a call left behind: the messages of the library, and TRUE when the user interrupted, also a call that was complete by then.
 * NULL for nothing of both, which is the common case. */
SEXP r_after_call(void) {
  tacore_buffer* lines = NULL;
  if (tacore_take_log(&lines, NULL) != TACORE_OK || (tacore_buffer_size(lines) == 0 && !is_interrupted)) {
    tacore_buffer_free(lines);
    return R_NilValue;
  }
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, text_of(lines));
  SET_VECTOR_ELT(out, 1, Rf_ScalarLogical(is_interrupted));
  is_interrupted = 0;
  UNPROTECT(1);
  return out;
}

extern const R_CallMethodDef call_methods[];

void R_init_tacore(DllInfo* info) {
  R_registerRoutines(info, NULL, call_methods, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
  R_forceSymbols(info, TRUE);
  init_to_r(info);
  tacore_set_poll(poll, NULL);
}

void R_unload_tacore(DllInfo* info) {
  (void)info;
  tacore_set_poll(NULL, NULL);
}
