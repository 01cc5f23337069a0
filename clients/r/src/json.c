/* JSON of the library, which is well-formed, as R objects: objects become named lists; arrays of numbers, texts or truth values
 * become vectors, others lists; null is NULL, and NA within a vector. */
#include <stdlib.h>
#include <string.h>

#include "call.h"

static SEXP value(const char** at);

static void skip(const char** at) {
  while (**at == ' ' || **at == '\n' || **at == '\t' || **at == '\r') ++*at;
}

static void append_utf8(char** out, unsigned long code) {
  if (code < 0x80) {
    *(*out)++ = (char)code;
  } else if (code < 0x800) {
    *(*out)++ = (char)(0xC0 | code >> 6);
    *(*out)++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *(*out)++ = (char)(0xE0 | code >> 12);
    *(*out)++ = (char)(0x80 | (code >> 6 & 0x3F));
    *(*out)++ = (char)(0x80 | (code & 0x3F));
  } else {
    *(*out)++ = (char)(0xF0 | code >> 18);
    *(*out)++ = (char)(0x80 | (code >> 12 & 0x3F));
    *(*out)++ = (char)(0x80 | (code >> 6 & 0x3F));
    *(*out)++ = (char)(0x80 | (code & 0x3F));
  }
}

static unsigned long four_digits(const char** at) {
  char digits[5] = {0};
  memcpy(digits, *at, 4);
  *at += 4;
  return strtoul(digits, NULL, 16);
}

static SEXP string(const char** at) {
  const char* begin = ++*at;
  const char* end = begin;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  char* text = R_alloc((size_t)(end - begin) + 1, 1);
  char* out = text;
  while (*at < end) {
    if (**at != '\\') {
      *out++ = *(*at)++;
      continue;
    }
    const char escape = (*at)[1];
    *at += 2;
    if (escape == 'u') {
      unsigned long code = four_digits(at);
      if (code >= 0xD800 && code < 0xDC00) {
        *at += 2;
        code = 0x10000 + ((code - 0xD800) << 10) + (four_digits(at) - 0xDC00);
      }
      if (code != 0) append_utf8(&out, code); /* R's texts have no NUL */
    } else {
      const char* known = strchr("n\nt\tr\rb\bf\f", escape);
      *out++ = known != NULL ? known[1] : escape;
    }
  }
  *at = end + 1;
  return Rf_mkCharLenCE(text, (int)(out - text), CE_UTF8);
}

/* A vector of scalars of one type, where null is NA. */
static SEXP simplified(SEXP list) {
  SEXPTYPE type = NILSXP;
  const R_xlen_t num = XLENGTH(list);
  for (R_xlen_t i = 0; i < num; ++i) {
    SEXP each = VECTOR_ELT(list, i);
    if (each == R_NilValue) continue;
    if (XLENGTH(each) != 1 || Rf_getAttrib(each, R_NamesSymbol) != R_NilValue || (type != NILSXP && type != TYPEOF(each)))
      return list;
    type = TYPEOF(each);
    if (type == VECSXP) return list;
  }
  if (type == NILSXP) return list;
  SEXP out = PROTECT(Rf_allocVector(type, num));
  for (R_xlen_t i = 0; i < num; ++i) {
    SEXP each = VECTOR_ELT(list, i);
    const int is_null = each == R_NilValue;
    if (type == STRSXP) SET_STRING_ELT(out, i, is_null ? NA_STRING : STRING_ELT(each, 0));
    if (type == REALSXP) REAL(out)[i] = is_null ? NA_REAL : REAL(each)[0];
    if (type == LGLSXP) LOGICAL(out)[i] = is_null ? NA_LOGICAL : LOGICAL(each)[0];
  }
  UNPROTECT(1);
  return out;
}

/* An array, or an object with names, in a list that grows. */
static SEXP collection(const char** at, int is_object) {
  R_xlen_t num = 0, room = 8;
  PROTECT_INDEX of_values, of_names;
  SEXP values, names;
  PROTECT_WITH_INDEX(values = Rf_allocVector(VECSXP, room), &of_values);
  PROTECT_WITH_INDEX(names = Rf_allocVector(STRSXP, is_object ? room : 0), &of_names);
  ++*at;
  for (skip(at); **at != ']' && **at != '}'; skip(at)) {
    if (num == room) {
      room *= 2;
      REPROTECT(values = Rf_xlengthgets(values, room), of_values);
      if (is_object) REPROTECT(names = Rf_xlengthgets(names, room), of_names);
    }
    if (is_object) {
      SET_STRING_ELT(names, num, string(at));
      skip(at);
      ++*at; /* the colon */
    }
    SET_VECTOR_ELT(values, num++, value(at));
    skip(at);
    if (**at == ',') ++*at;
  }
  ++*at;
  REPROTECT(values = Rf_xlengthgets(values, num), of_values);
  if (is_object) {
    REPROTECT(names = Rf_xlengthgets(names, num), of_names);
    Rf_setAttrib(values, R_NamesSymbol, names);
  }
  SEXP out = is_object ? values : simplified(values);
  UNPROTECT(2);
  return out;
}

static SEXP value(const char** at) {
  skip(at);
  switch (**at) {
    case '{': return collection(at, 1);
    case '[': return collection(at, 0);
    case '"': return Rf_ScalarString(string(at));
    case 't': *at += 4; return Rf_ScalarLogical(1);
    case 'f': *at += 5; return Rf_ScalarLogical(0);
    case 'n': *at += 4; return R_NilValue;
    default: {
      char* end;
      const double number = R_strtod(*at, &end);
      if (end == *at) Rf_error("JSON expected at '%.20s'", *at);
      *at = end;
      return Rf_ScalarReal(number);
    }
  }
}

SEXP parse_json(const char* text) { return value(&text); }

SEXP r_parse_json(SEXP text) { return parse_json(utf8(text)); }
