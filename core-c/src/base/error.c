/* The recorded error and its text, with format codes for sizes and dtypes. */
#include <stdarg.h>

#include "base.h"

PWT_PER_THREAD ErrorState pwt_error_state;

typedef struct {
  char *text;
  int64_t length, capacity;
} Writer;

static void put_char(Writer *w, char c) {
  if (w->length + 1 < w->capacity) w->text[w->length++] = c;
}

static void put_text(Writer *w, const char *text) {
  for (; text && *text; text++) put_char(w, *text);
}

static void put_int(Writer *w, int64_t value) {
  char digits[24];
  int n = 0;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do digits[n++] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0) put_char(w, '-');
  while (n) put_char(w, digits[--n]);
}

/* Six significant decimals, as %g; enough for a message. */
static void put_double(Writer *w, double value) {
  if (value != value) return put_text(w, "nan");
  if (value < 0 || (value == 0 && 1 / value < 0)) put_char(w, '-'), value = -value;
  if (value > 1.7976931348623157e308) return put_text(w, "inf");
  int exponent = 0;
  if (value != 0) {
    while (value >= 1e6) value /= 10, exponent++;
    while (value < 1e5 && exponent > -330) value *= 10, exponent--;
  }
  int64_t digits = (int64_t)(value + 0.5);
  while (digits && digits % 10 == 0) digits /= 10, exponent++;
  if (exponent >= 0 && exponent < 16) {
    put_int(w, digits);
    while (exponent--) put_char(w, '0');
  } else if (exponent < 0 && exponent > -12) {
    int64_t scale = 1;
    for (int i = exponent; i; i++) scale *= 10;
    put_int(w, digits / scale);
    put_char(w, '.');
    for (int64_t rest = digits % scale; scale > 1; rest %= scale) scale /= 10, put_char(w, (char)('0' + rest / scale));
  } else {
    put_int(w, digits);
    put_char(w, 'e');
    put_int(w, exponent);
  }
}

static void put_items(Writer *w, const int64_t *items, int count) {
  for (int i = 0; i < count; i++) {
    if (i) put_text(w, ", ");
    put_int(w, items[i]);
  }
}

static int64_t format(char *buffer, int64_t capacity, const char *text, va_list arguments) {
  Writer w = {buffer, 0, capacity};
  for (; *text; text++) {
    if (*text != '%') {
      put_char(&w, *text);
      continue;
    }
    switch (*++text) {
      case 's': put_text(&w, va_arg(arguments, const char *)); break;
      case 'i': put_int(&w, va_arg(arguments, int64_t)); break;
      case 'd': put_int(&w, va_arg(arguments, int)); break;
      case 'g': put_double(&w, va_arg(arguments, double)); break;
      case 't': put_text(&w, pwt_dtype_message_name((DType)va_arg(arguments, int))); break;
      case 'l':
      case 'z': {
        const int64_t *items = va_arg(arguments, const int64_t *);
        if (*text == 'z') put_char(&w, '[');
        put_items(&w, items, va_arg(arguments, int));
        if (*text == 'z') put_char(&w, ']');
        break;
      }
      default: put_char(&w, *text);
    }
  }
  w.text[w.length] = 0;
  return w.length;
}

int64_t pwt_format(char *buffer, int64_t capacity, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  int64_t length = format(buffer, capacity, text, arguments);
  va_end(arguments);
  return length;
}

void *pwt_fail(ErrorKind kind, const char *text, ...) {
  if (pwt_error_state.kind) return NULL;
  va_list arguments;
  va_start(arguments, text);
  pwt_error_state.length = (int32_t)format(pwt_error_state.message, sizeof pwt_error_state.message, text, arguments);
  pwt_error_state.kind = kind;
  va_end(arguments);
  return NULL;
}

void pwt_clear_error(void) { pwt_error_state.kind = 0; }

bool pwt_same_text(const char *a, const char *b) {
  if (!a || !b) return a == b;
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}
